import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { CsvSource } from '../imports/csv.ts';

/** A kept file, piece by piece: one is in memory. */
export function fileOf(connection: OrganizationConnection, id: number): CsvSource {
  return async function* () {
    for (let part = 0; ; part++) {
      const row = await connection.maybeOne(sql.prepared('read-import-part', rowsOf<{ content: Buffer }>())`
        select content from import_parts
        where org_id = ${connection.orgId} and import_id = ${id} and part = ${part}`);
      if (row === null) {
        return;
      }
      yield row.content;
    }
  };
}
