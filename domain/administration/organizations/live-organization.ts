import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface OrganizationRow {
  id: number;
  name: string;
}

export function findLiveOrganization(db: Connection, id: number): Promise<OrganizationRow | null> {
  return db.maybeOne(sql.prepared('find-live-organization', rowsOf<OrganizationRow>())`
    select id, name from organizations where id = ${id} and deleted_at is null`);
}

/** As {@link requireLiveOrganization}, but it may be deleted. @throws AppError `not_found`. */
export async function requireOrganization(db: Connection, id: number): Promise<void> {
  const found = await db.maybeOne(sql.type(rowsOf<{ id: number }>())`
    select id from organizations where id = ${id}`);
  if (found === null) {
    throw missing(id);
  }
}

/** Keeps a mistaken id from being answered with an empty list. @throws AppError `not_found`. */
export async function requireLiveOrganization(db: Connection, id: number): Promise<void> {
  if ((await findLiveOrganization(db, id)) === null) {
    throw missing(id);
  }
}

/**
 * Keeps an organization from being deleted until the transaction ends.
 *
 * @throws AppError `not_found` if it does not exist or is deleted.
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
