import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { NO_COUNTS, type ReaderCounts } from '../../../simulation/truth/reader-truth.ts';

type CountsRow = { name: string } & { [K in keyof ReaderCounts]: number | null };

export async function storedCounts(
  db: Connection,
  orgId: number,
  names: readonly string[],
): Promise<Map<string, ReaderCounts>> {
  const rows = await db.any(sql.type(rowsOf<CountsRow>())`
    select reader.name, counters.messages, counters.messages_rejected, counters.reads, counters.recorded,
      counters.duplicates, counters.unknown, counters.unplaced, counters.rejected, counters.ignored
    from readers reader
    left join reader_counters counters on counters.org_id = reader.org_id and counters.reader_id = reader.id
    where reader.org_id = ${orgId} and reader.name = any(${sql.array(names, 'text')}) and reader.deleted_at is null
    order by reader.id`);
  return new Map(
    rows.map(({ name, ...counters }) => {
      const known = Object.entries(counters).filter(([, count]) => count !== null);
      return [name, { ...NO_COUNTS, ...Object.fromEntries(known) }];
    }),
  );
}
