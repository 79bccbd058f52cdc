import type { Micros } from '../../base/instant.ts';
import { withoutTokens } from '../../base/tag-secrets.ts';
import { bigints, integers, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Mapped } from '../formats/mapping/run.ts';
import type { RegisteredReader } from './load-readers.ts';

/** What a message says that is of no use. */
export interface Flaws {
  rssiUnusable: number;
  rssiExample: string | null;
  timeUnreadable: number;
  timeExample: string | null;
  clockUnset: number;
  receivedAt: Micros;
}

/** @returns null for nearly every message. */
export function flawsOf(mapped: Mapped, receivedAt: Micros): Flaws | null {
  let flaws: Flaws | null = null;
  for (const item of mapped.outcome === 'items' ? mapped.items : []) {
    if (item.outcome === 'read' && item.read.unusable !== null) {
      flaws ??= noFlaws(receivedAt);
      const { rssi, time, unsetClock } = item.read.unusable;
      if (rssi !== undefined) {
        flaws.rssiUnusable += 1;
        flaws.rssiExample = storable(rssi);
      }
      if (time !== undefined) {
        flaws.timeUnreadable += 1;
        flaws.timeExample = storable(time);
      }
      if (unsetClock !== undefined) {
        flaws.clockUnset += 1;
      }
    }
  }
  return flaws;
}

function noFlaws(receivedAt: Micros): Flaws {
  return {
    ...{ rssiUnusable: 0, rssiExample: null, timeUnreadable: 0, timeExample: null, clockUnset: 0 },
    receivedAt,
  };
}

function storable(given: number | string): string {
  return withoutTokens(String(given));
}

/** Call with the readers' counters locked. Nearly always there are none. */
export async function addReaderFlaws(
  db: Connection,
  found: readonly { reader: RegisteredReader | null; flaws: Flaws | null }[],
): Promise<void> {
  const ofReaders = found.flatMap(({ reader, flaws }) =>
    reader === null || flaws === null ? [] : [{ reader, flaws }],
  );
  if (ofReaders.length === 0) {
    return;
  }
  const rows = [...Map.groupBy(ofReaders, ({ reader }) => reader.readerId).values()].flatMap((ofReader) => {
    const [first] = ofReader;
    return first === undefined ? [] : [{ ...first.reader, ...sum(ofReader.map(({ flaws }) => flaws)) }];
  });
  const counts = (of: 'rssiUnusable' | 'timeUnreadable' | 'clockUnset') =>
    sql.binary(bigints(rows.map((row) => row[of])));
  await db.exec(sql.prepared('add-reader-flaws', NO_ROWS)`
    insert into reader_flaws as stored (org_id, reader_id, rssi_unusable, rssi_example, time_unreadable, time_example,
      time_unreadable_at, clock_unset, clock_unset_at)
    select org_id, reader_id, rssi_unusable, rssi_example, time_unreadable, time_example,
      case when time_unreadable > 0 then received_at end, clock_unset, case when clock_unset > 0 then received_at end
    from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ readerId }) => readerId)))}::integer[],
      ${counts('rssiUnusable')}::bigint[], ${sql.binary(texts(rows.map(({ rssiExample }) => rssiExample)))}::text[],
      ${counts('timeUnreadable')}::bigint[], ${sql.binary(texts(rows.map(({ timeExample }) => timeExample)))}::text[],
      ${counts('clockUnset')}::bigint[],
      ${sql.binary(timestamps(rows.map(({ receivedAt }) => receivedAt)))}::timestamptz[])
      as added (org_id, reader_id, rssi_unusable, rssi_example, time_unreadable, time_example, clock_unset, received_at)
    order by org_id, reader_id
    on conflict (org_id, reader_id) do update set
      rssi_unusable = stored.rssi_unusable + excluded.rssi_unusable,
      rssi_example = coalesce(excluded.rssi_example, stored.rssi_example),
      time_unreadable = stored.time_unreadable + excluded.time_unreadable,
      time_example = coalesce(excluded.time_example, stored.time_example),
      time_unreadable_at = greatest(stored.time_unreadable_at, excluded.time_unreadable_at),
      clock_unset = stored.clock_unset + excluded.clock_unset,
      clock_unset_at = greatest(stored.clock_unset_at, excluded.clock_unset_at)`);
}

function sum(all: readonly Flaws[]): Flaws {
  return all.reduce((total, flaws) => ({
    rssiUnusable: total.rssiUnusable + flaws.rssiUnusable,
    rssiExample: flaws.rssiExample ?? total.rssiExample,
    timeUnreadable: total.timeUnreadable + flaws.timeUnreadable,
    timeExample: flaws.timeExample ?? total.timeExample,
    clockUnset: total.clockUnset + flaws.clockUnset,
    receivedAt: Math.max(total.receivedAt, flaws.receivedAt),
  }));
}
