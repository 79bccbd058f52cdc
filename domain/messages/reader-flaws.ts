import { withoutTokens } from '../../base/tag-secrets.ts';
import { bigints, integers, texts } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Mapped } from '../formats/mapping/run.ts';
import type { RegisteredReader } from './load-readers.ts';

/** What a message says that is of no use. */
export interface Flaws {
  rssiUnusable: number;
  rssiExample: string | null;
}

/** @returns null for nearly every message. */
export function flawsOf(mapped: Mapped): Flaws | null {
  let flaws: Flaws | null = null;
  for (const item of mapped.outcome === 'items' ? mapped.items : []) {
    if (item.outcome === 'read' && item.read.unusable !== null) {
      flaws ??= { rssiUnusable: 0, rssiExample: null };
      const { rssi } = item.read.unusable;
      if (rssi !== undefined) {
        flaws.rssiUnusable += 1;
        flaws.rssiExample = storable(rssi);
      }
    }
  }
  return flaws;
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
  await db.exec(sql.prepared('add-reader-flaws', NO_ROWS)`
    insert into reader_flaws as stored (org_id, reader_id, rssi_unusable, rssi_example)
    select org_id, reader_id, rssi_unusable, rssi_example
    from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ readerId }) => readerId)))}::integer[],
      ${sql.binary(bigints(rows.map(({ rssiUnusable }) => rssiUnusable)))}::bigint[],
      ${sql.binary(texts(rows.map(({ rssiExample }) => rssiExample)))}::text[])
      as added (org_id, reader_id, rssi_unusable, rssi_example)
    order by org_id, reader_id
    on conflict (org_id, reader_id) do update set
      rssi_unusable = stored.rssi_unusable + excluded.rssi_unusable,
      rssi_example = coalesce(excluded.rssi_example, stored.rssi_example)`);
}

function sum(all: readonly Flaws[]): Flaws {
  return all.reduce((total, flaws) => ({
    rssiUnusable: total.rssiUnusable + flaws.rssiUnusable,
    rssiExample: flaws.rssiExample ?? total.rssiExample,
  }));
}
