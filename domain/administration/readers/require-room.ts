import { AppError } from '../../../base/errors.ts';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Per organization: twice the largest site of the runbook's table. Existing and imported readers stay. */
const MOST_READERS = 20_000;
/** For all its readers together. */
const MOST_ANTENNAS = 80_000;
/** Readers deleted within {@link DELETED_WITHIN} days: each process loads their topics at its start, to unsubscribe from them. */
const MOST_DELETED = 20_000;
const DELETED_WITHIN = 30;
/** Per reader, with multiplexers. A change of one loads all of them. */
const MOST_ANTENNAS_OF_READER = 1_024;

/**
 * Call after `lockRegistrations`.
 *
 * @throws AppError `conflict` if there are as many readers or antennas as allowed (each reader has an antenna), or too
 * many were deleted recently.
 */
export async function requireRoomForReader(transaction: Connection, orgId: number): Promise<void> {
  const { count, deleted } = await transaction.one(sql.type(rowsOf<{ count: number; deleted: number }>())`
    select
      (select count(*) from readers where org_id = ${orgId} and deleted_at is null) as count,
      (select count(*) from readers
       where org_id = ${orgId} and deleted_at > now() - make_interval(days => ${DELETED_WITHIN}::integer)) as deleted`);
  if (count >= MOST_READERS) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has ${count} readers; the maximum is ${MOST_READERS}; delete one first`,
    );
  }
  if (deleted >= MOST_DELETED) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} deleted ${deleted} readers within ${DELETED_WITHIN} days; after ${MOST_DELETED} it cannot ` +
        'register others; change a registered reader instead, or wait',
    );
  }
  await requireRoomInOrganization(transaction, orgId);
}

/** @throws AppError `conflict` if the reader, or its organization, may have no more antennas. */
export async function requireRoomForAntenna(
  transaction: Connection,
  { orgId, readerId }: { orgId: number; readerId: number },
): Promise<void> {
  const { count } = await transaction.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from antennas where org_id = ${orgId} and reader_id = ${readerId}`);
  if (count >= MOST_ANTENNAS_OF_READER) {
    throw new AppError(
      'conflict',
      `Reader ${readerId} has ${count} antennas; the maximum is ${MOST_ANTENNAS_OF_READER}; use one of these, or delete the ` +
        'reader and register it again',
    );
  }
  await requireRoomInOrganization(transaction, orgId);
}

async function requireRoomInOrganization(transaction: Connection, orgId: number): Promise<void> {
  await transaction.exec(sql.type(NO_ROWS)`
    select pg_advisory_xact_lock(${ORGANIZATION_LOCKS.antennas}::integer, ${orgId}::integer)`);
  const { count } = await transaction.one(sql.type(rowsOf<{ count: number }>())`
    select coalesce(sum(of_reader.count), 0)::integer as count from readers reader
    cross join lateral (
      select count(*) from antennas where org_id = reader.org_id and reader_id = reader.id
    ) of_reader
    where reader.org_id = ${orgId} and reader.deleted_at is null`);
  if (count >= MOST_ANTENNAS) {
    throw new AppError(
      'conflict',
      `The readers of organization ${orgId} have ${count} antennas; the maximum is ${MOST_ANTENNAS}; delete a reader first`,
    );
  }
}
