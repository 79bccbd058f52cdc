import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface OrganizationRow {
  id: number;
  name: string;
}

/** Null if there is no such organization, or it is deleted. */
export function findLiveOrganization(db: Connection, id: number): Promise<OrganizationRow | null> {
  return db.maybeOne(sql.prepared('find-live-organization', rowsOf<OrganizationRow>())`
    select id, name from organizations where id = ${id} and deleted_at is null`);
}

/** So that a mistaken id is not answered with an empty list. @throws AppError `not_found`. */
export async function requireLiveOrganization(db: Connection, id: number): Promise<void> {
  if ((await findLiveOrganization(db, id)) === null) {
    throw missing(id);
  }
}

/**
 * Keeps an organization from being deleted until the transaction ends.
 *
 * @throws AppError `not_found` if there is no such organization, or it is deleted.
 */
export async function holdLiveOrganization(transaction: Connection, id: number): Promise<void> {
  // A key share would not do: deleting changes no key.
  const held = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
    select id from organizations where id = ${id} and deleted_at is null for share`);
  if (held === null) {
    throw missing(id);
  }
}

export function missing(id: number): AppError {
  return new AppError('not_found', `Organization ${id} not found`);
}
