import type { Client } from 'openapi-fetch';
// 0.16.0, because 0.17.0 makes an object of the type `string & {}` of open enumerations.
import createClient from 'openapi-fetch';
import { CHANGES, type ChangeEvent, type FeedEvent, headOf, MOVES } from './feeds.ts';
import { type Following, type FollowOptions, follow } from './follow.ts';
import type { paths } from './paths.ts';
import { type Patience, patientFetch } from './patient-fetch.ts';

export interface ClientOptions {
  /** Where the API is, without a path: `https://tagtrail.example.com`. */
  baseUrl: string;
  /** `tt_...`; it acts for one organization. */
  apiKey: string;
  /** How long to wait for rate limits and outages. */
  patience?: Partial<Patience>;
}

export interface TagtrailClient extends Client<paths> {
  /** The events of the feed of moves after a position, see {@link follow}. */
  follow(options?: FollowOptions): Following<FeedEvent>;
  /** The position of the last event there is. @throws TagtrailError for a refusal. */
  feedHead(): Promise<number>;
  /** The same of the feed of changes of assets, locations and tags, which has positions of its own. */
  followChanges(options?: FollowOptions): Following<ChangeEvent>;
  changesHead(): Promise<number>;
}

/** A client of one organization's data. PATCH goes out as a JSON Merge Patch, as the API wants it. */
export function createTagtrailClient({ baseUrl, apiKey, patience = {} }: ClientOptions): TagtrailClient {
  const client = createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: patientFetch(patience),
    querySerializer: searchOf,
  });
  client.use({
    onRequest: ({ request }) => {
      if (request.method === 'PATCH') {
        request.headers.set('Content-Type', 'application/merge-patch+json');
      }
      return request;
    },
  });
  return Object.assign(client, {
    follow: (options?: FollowOptions) => follow(client, MOVES, options),
    feedHead: () => headOf(client, MOVES),
    followChanges: (options?: FollowOptions) => follow(client, CHANGES, options),
    changesHead: () => headOf(client, CHANGES),
  });
}

/** Each member of an object, such as `metadata`, is a parameter; the library's own serializer does not encode their names. */
function searchOf(query: unknown): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : [value].flat().map((each): [string, unknown] => [name, each]),
  );
  const given = pairs.filter(([, value]) => value !== undefined && value !== null);
  return new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
