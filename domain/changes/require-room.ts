import { conflict } from '../../base/errors.ts';
import { ORGANIZATION_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

interface Bound {
  most: number;
  plural: string;
  remedy: string;
  /** The table that is counted. */
  counted(orgId: number): FragmentSqlToken;
}

/** The most rows of a kind that an organization may have when one more is made. Existing rows stay. */
export const MOST_OF_ORGANIZATION = {
  apiKeys: {
    most: 1_000,
    ...{ plural: 'API keys that are in force', remedy: 'revoke one first' },
    counted: (orgId) => sql.fragment`api_keys where org_id = ${orgId} and revoked_at is null
      and (expires_at is null or expires_at > now())`,
  },
  handhelds: {
    most: 20_000,
    ...{ plural: 'handhelds that may sign in', remedy: 'revoke one first' },
    counted: (orgId) => sql.fragment`handhelds where org_id = ${orgId} and revoked_at is null
      and (expires_at is null or expires_at > now())`,
  },
  members: {
    most: 10_000,
    ...{ plural: 'members', remedy: 'remove one first' },
    counted: (orgId) => sql.fragment`memberships where org_id = ${orgId}`,
  },
  invitations: {
    most: 1_000,
    ...{ plural: 'open invitations', remedy: 'withdraw some first' },
    counted: (
      orgId,
    ) => sql.fragment`user_links where org_id = ${orgId} and purpose = 'invite' and used_at is null
      and expires_at > now()`,
  },
  consumers: {
    most: 100,
    ...{ plural: 'consumers', remedy: 'delete one first' },
    counted: (orgId) => sql.fragment`mqtt_consumers where org_id = ${orgId}`,
  },
  plans: {
    most: 200,
    ...{ plural: 'plans', remedy: 'delete one that is no longer needed' },
    counted: (orgId) => sql.fragment`plans where org_id = ${orgId}`,
  },
  epcisQueries: {
    most: 100,
    ...{ plural: 'named queries of EPCIS', remedy: 'delete one first' },
    counted: (orgId) => sql.fragment`epcis_queries where org_id = ${orgId}`,
  },
  printers: {
    most: 100,
    ...{ plural: 'printers', remedy: 'remove one first' },
    counted: (orgId) => sql.fragment`printers where org_id = ${orgId}`,
  },
  serialRanges: {
    most: 1_000,
    ...{ plural: 'keys that labels number', remedy: 'use one of them' },
    counted: (orgId) => sql.fragment`serial_ranges where org_id = ${orgId}`,
  },
  assetViews: {
    most: 50,
    ...{ plural: 'views of the list of assets', remedy: 'remove one first' },
    counted: (orgId) => sql.fragment`asset_views where org_id = ${orgId}`,
  },
  webhooks: {
    most: 20,
    ...{ plural: 'webhooks', remedy: 'delete one first' },
    counted: (orgId) => sql.fragment`webhooks where org_id = ${orgId} and deleted_at is null`,
  },
} as const satisfies Record<string, Bound>;

/**
 * Call before one more is inserted; others of the organization wait until the transaction ends.
 *
 * @throws AppError `conflict` that names the maximum and what to do.
 */
export async function requireRoom(
  change: Connection,
  orgId: number,
  kind: keyof typeof MOST_OF_ORGANIZATION,
): Promise<void> {
  const { most, plural, remedy, counted } = MOST_OF_ORGANIZATION[kind];
  await holdRoom(change, orgId);
  const { count } = await change.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from ${counted(orgId)}`);
  if (count >= most) {
    throw conflict(`Organization ${orgId} has ${count} ${plural}; the maximum is ${most}; ${remedy}`);
  }
}

/** Until the transaction ends, others of the organization wait that make one more of a kind. */
export async function holdRoom(change: Connection, orgId: number): Promise<void> {
  await change.exec(sql.type(NO_ROWS)`
    select pg_advisory_xact_lock(${ORGANIZATION_LOCKS.room}::integer, ${orgId}::integer)`);
}
