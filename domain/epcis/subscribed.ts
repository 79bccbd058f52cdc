import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type FeedEvent, isAlert } from '../moves/event.ts';
import { documentOf, eventOf, type Told, toldBy } from './event.ts';
import { type FilterGiven, filterOf, matches } from './filter.ts';
import { readNames } from './read-names.ts';

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
  const arrivals = [...told.values()]
    .flat()
    .flatMap((each) => (each.instead ? [each, each.instead] : [each]));
  const namesOf = await readNames(db, orgId, base, arrivals);
  const filter = filterOf(given);
  const documents = new Map<FeedEvent, string>();
  for (const [move, ofMove] of told) {
    const events = ofMove.map((each) => eventOf(each, namesOf)).filter((event) => matches(event, filter));
    if (events.length > 0) {
      documents.set(move, JSON.stringify(documentOf(events, { queryName, subscriptionID })));
    }
  }
  return documents;
}
