import type { AssetRecord, CurrentLocation, HistoryRow } from '../../../simulation/truth/asset-record.ts';
import type { Itinerary } from './itinerary.ts';

/**
 * What the API must say of an asset with this itinerary, whatever happened to the messages. Derived from the itinerary
 * alone, on purpose without any of the code behind the API's answers.
 */
export function truthOf({ asset, visits }: Itinerary): AssetRecord {
  const history: HistoryRow[] = [];
  let current: CurrentLocation | null = null;
  let arrivedAt: number | null = null;
  for (const { location, reads } of visits) {
    const [first] = reads;
    const last = reads.at(-1);
    // A visit that no reader noticed never happened, as far as anybody can tell.
    if (first === undefined || last === undefined) {
      continue;
    }
    // After one that went unnoticed the asset may be back where it was: to the readers it never left.
    if (history.at(-1)?.location !== location) {
      const durationSeconds = arrivedAt === null ? null : Math.floor((first.at - arrivedAt) / 1_000_000);
      history.push({ at: toMilliseconds(first.at), location, durationSeconds });
      arrivedAt = first.at;
    }
    current = { location, lastSeen: toMilliseconds(last.at) };
  }
  return { asset, current, history };
}

/** Microseconds as the API writes them: finer digits are cut off. */
function toMilliseconds(micros: number): string {
  return new Date(Math.floor(micros / 1_000)).toISOString();
}
