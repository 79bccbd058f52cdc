import { eachInTurns } from '../../base/each-in-turns.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type FeedEvent, isAlert } from '../moves/event.ts';
import { documentOf, eventOf, type Told, toldBy } from './event.ts';
import { type FilterGiven, filterOf, matches } from './filter.ts';
import { namesFor } from './read-names.ts';

/** What a webhook that is a subscription sends, as it is stored with it. */
export interface SubscribedQuery {
  queryName: string;
  given: FilterGiven;
  /** Where the API was reached when it was made; null if nobody said so. */
  base: string | null;
}

/** The documents for moves, by move; none for one of which nothing matches. */
export async function documentsFor(
  db: Connection,
  orgId: number,
  { queryName, given, base }: SubscribedQuery,
  subscriptionID: string,
  moves: readonly FeedEvent[],
): Promise<Map<FeedEvent, string>> {
  const told = new Map<FeedEvent, Told[]>(moves.map((move) => [move, isAlert(move) ? [] : toldBy(move)]));
  const namesOf = await namesFor(db, orgId, base, [...told.values()].flat());
  const filter = filterOf(given);
  const documents = new Map<FeedEvent, string>();
  for (const [move, ofMove] of told) {
    const named = await eachInTurns(ofMove, (each) => eventOf(each, namesOf));
    const events = named.filter((event) => matches(event, filter));
    if (events.length > 0) {
      documents.set(move, JSON.stringify(documentOf(events, { queryName, subscriptionID })));
    }
  }
  return documents;
}
