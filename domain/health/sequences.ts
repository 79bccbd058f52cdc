import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { SEQUENCE_USE, type SequenceUse } from '../../db/timescale/schema/sequence-use.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

export async function examineSequences(db: Connection): Promise<Finding> {
  const rows = await db.any(sql.type(rowsOf<SequenceUse>())`${SEQUENCE_USE}`);
  const half = rows.filter(({ share }) => share >= 0.5);
  if (half.length === 0) {
    const [most] = rows;
    return ok(
      'ids',
      `${percent(most?.share ?? 0)} of those for ${most?.table ?? 'rows'} are used, of others less`,
    );
  }
  const used = half.filter(({ share }) => share >= 1);
  if (used.length > 0) {
    return fault(
      'ids',
      `None are left for ${used.map(({ table }) => table).join(', ')}: no such row can be created`,
      'Find the program that created so much (LOG_REQUESTS=all), and move to a new database',
    );
  }
  return warning(
    'ids',
    `Of ids up to 2147483647, ${half.map(({ table, share }) => `${percent(share)} are used for ${table}`).join(', ')}`,
    'Once they are used up, nothing can be created: find the program that creates so much, and move to a new database in time',
  );
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
