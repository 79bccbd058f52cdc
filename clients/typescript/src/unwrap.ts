import { errorOf, type Problem } from './error.ts';

/** The result of every operation of the client. */
export interface Answer<Data> {
  data?: Data;
  error?: { error: Problem };
  response: Response;
}

/**
 * The body of a success; undefined without one (204).
 *
 * @throws TagtrailError for a refusal.
 */
export function unwrap<Data>({ data, error, response }: Answer<Data>): Data {
  if (isOfTheApi(error)) {
    throw errorOf(error.error);
  }
  if (!response.ok) {
    // From a proxy: the API never answers an error without its envelope.
    throw new Error(`${response.status} ${response.statusText} from ${response.url}`);
  }
  return data as Data;
}

/** Proxies answer with pages of their own. */
function isOfTheApi(error: unknown): error is { error: Problem } {
  return typeof error === 'object' && error !== null && 'error' in error;
}
