import { type Problem, TagtrailError } from './error.ts';

/** What every operation of the client comes back with. */
export interface Answer<Data> {
  data?: Data;
  error?: { error: Problem };
  response: Response;
}

/**
 * The body of a success; undefined where there is none (204).
 *
 * @throws TagtrailError for a refusal.
 */
export function unwrap<Data>({ data, error, response }: Answer<Data>): Data {
  if (error !== undefined) {
    throw new TagtrailError(error.error);
  }
  if (!response.ok) {
    // Of what stands between: the API never answers an error without a body.
    throw new Error(`${response.status} ${response.statusText} from ${response.url}`);
  }
  return data as Data;
}
