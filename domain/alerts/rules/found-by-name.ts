import { append } from '../../../base/append.ts';
import { type FieldIssue, foreignKeyNotFound, invalidValue } from '../../../base/checks/issues.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LIVE_READERS } from '../../administration/live-readers.ts';
import { holdLiveAssetsByKey, lockLiveLocationByKey } from '../../master-data/live-by-key.ts';

/** Where names are looked up, and what was wrong with them is put. */
export interface LookUp {
  transaction: Connection;
  orgId: number;
  issues: FieldIssue[];
}

/** Names of a list that are told if they are not found. */
const MOST_NAMED = 20;

export async function foundLocation(
  { transaction, orgId, issues }: LookUp,
  field: string,
  key: string | null | undefined,
  before: number | null,
): Promise<number | null> {
  if (key === undefined || key === null) {
    return key === undefined ? before : null;
  }
  const id = await lockLiveLocationByKey(transaction, orgId, key);
  if (id === null) {
    issues.push(foreignKeyNotFound(field, key));
  }
  return id;
}

export async function foundAssets(
  { transaction, orgId, issues }: LookUp,
  keys: readonly string[] | null | undefined,
  before: readonly number[] | null,
): Promise<readonly number[] | null> {
  if (keys === undefined || keys === null) {
    return keys === undefined ? before : null;
  }
  const wanted = [...new Set(keys)];
  const rows = await holdLiveAssetsByKey(transaction, orgId, wanted);
  refuseOthers(issues, 'asset_external_keys', wanted, new Set(rows.map(({ external_key: key }) => key)));
  return rows.map(({ id }) => id);
}

/** Deleting a reader is not waited for: a rule about one that is gone never comes true. */
export async function foundReaders(
  { transaction, orgId, issues }: LookUp,
  ids: readonly number[] | null | undefined,
  before: readonly number[] | null,
): Promise<readonly number[] | null> {
  if (ids === undefined || ids === null) {
    return ids === undefined ? before : null;
  }
  const wanted = [...new Set(ids)].sort((a, b) => a - b);
  const rows = await transaction.any(sql.type(rowsOf<{ id: number }>())`
    select reader.id from ${LIVE_READERS}
    where reader.org_id = ${orgId} and reader.id = any (${sql.array(wanted, 'int4')})`);
  refuseOthers(issues, 'reader_ids', wanted, new Set(rows.map(({ id }) => id)));
  return wanted;
}

export async function foundMembers(
  { transaction, orgId, issues }: LookUp,
  addresses: readonly string[] | null | undefined,
  before: readonly string[],
): Promise<readonly string[]> {
  if (addresses === undefined || addresses === null || addresses.length === 0) {
    return addresses === undefined ? before : [];
  }
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))].sort();
  const rows = await transaction.any(sql.type(rowsOf<{ address: string }>())`
    select address from member_addresses(${orgId}, ${sql.array(wanted, 'text')}) as address`);
  const members = new Set(rows.map(({ address }) => address));
  const others = wanted.filter((address) => !members.has(address)).slice(0, MOST_NAMED);
  const rule = 'must be members of the organization, who can be invited to the console';
  append(
    issues,
    others.map((address) => invalidValue('mail_to', `${rule}; ${address} is none`)),
  );
  return wanted;
}

function refuseOthers<Name extends string | number>(
  issues: FieldIssue[],
  field: string,
  wanted: readonly Name[],
  found: ReadonlySet<Name>,
): void {
  const others = wanted.filter((name) => !found.has(name)).slice(0, MOST_NAMED);
  append(
    issues,
    others.map((name) => ({ ...foreignKeyNotFound(field, name), params: { value: name } })),
  );
}
