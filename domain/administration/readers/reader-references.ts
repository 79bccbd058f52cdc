import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface ReaderReference {
  name: string;
  /** Null if it was deleted. */
  format: string | null;
}

/** Names of readers, deleted ones too, by id. */
export async function findReaderReferences(
  db: Connection,
  orgId: number,
  ids: readonly (number | null)[],
): Promise<ReadonlyMap<number, ReaderReference>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const rows =
    wanted.length === 0
      ? []
      : await db.any(sql.type(rowsOf<ReaderReference & { id: number }>())`
          select id, name, case when deleted_at is null then format end as format
          from readers where org_id = ${orgId} and id = any(${sql.array(wanted, 'int4')})`);
  return new Map(rows.map(({ id, ...reader }) => [id, reader]));
}
