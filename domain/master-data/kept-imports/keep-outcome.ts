import { writeJson } from '../../../base/json/json-text.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { RespelledTag } from '../imports/report.ts';
import type { FileDifference } from './difference-of-file.ts';
import type { FileFault } from './faults.ts';

export interface Outcome extends FileDifference {
  faults: readonly FileFault[];
  faults_left_out: number;
  respelled?: readonly RespelledTag[];
}

/** Keeps what a file would change. @param digest null if it cannot be imported. */
export async function keepChecked(
  connection: OrganizationConnection,
  id: number,
  outcome: Outcome,
  digest: Buffer | null,
): Promise<void> {
  await connection.exec(sql.type(NO_ROWS)`
    update imports set state = 'checked', checked_at = now(), outcome = ${writeJson(outcome)}::json,
      rows = ${outcome.rows}, digest = ${digest === null ? null : sql.binary(digest)}
    where org_id = ${connection.orgId} and id = ${id} and state <> 'applied'`);
}

/** Keeps what a file has changed, and the file no more. @returns false if it was applied already, or is gone. */
export async function keepApplied(
  transaction: OrganizationConnection,
  id: number,
  outcome: Outcome,
): Promise<boolean> {
  const row = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
    update imports set state = 'applied', applied_at = now(), outcome = ${writeJson(outcome)}::json,
      rows = ${outcome.rows}
    where org_id = ${transaction.orgId} and id = ${id} and state = 'checked'
    returning id`);
  await transaction.exec(sql.type(NO_ROWS)`
    delete from import_parts where org_id = ${transaction.orgId} and import_id = ${id}`);
  return row !== null;
}
