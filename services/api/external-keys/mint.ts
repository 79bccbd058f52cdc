import { sql } from 'slonik';
import { type OrganizationConnection, rowsOf } from '../../../db/timescale/organization-door.ts';

export type Keyed = 'asset' | 'location';

const PREFIX: Record<Keyed, string> = { asset: 'ASSET-', location: 'LOC-' };

/** `ASSET-0042`: four digits, and more when they are needed. */
export function mintedKey(resource: Keyed, number: number): string {
  return PREFIX[resource] + String(number).padStart(4, '0');
}

/**
 * Inserts a row under the next free key of the organization's sequence. The counter's row is locked until the
 * transaction ends, so concurrent creates get one number each; a number that a live row already has is skipped.
 *
 * @param insert inserts under the given key; null if that key is taken.
 */
export async function insertWithMintedKey<Inserted>(
  transaction: OrganizationConnection,
  resource: Keyed,
  insert: (externalKey: string) => Promise<Inserted | null>,
): Promise<Inserted> {
  let number = await takeNumber(transaction, resource);
  for (;;) {
    const inserted = await insert(mintedKey(resource, number));
    if (inserted !== null) {
      return inserted;
    }
    number = await skipTakenNumbers(transaction, resource, number);
  }
}

async function takeNumber(transaction: OrganizationConnection, resource: Keyed): Promise<number> {
  const { last_number } = await transaction.one(sql.prepared('take-number', rowsOf<Counter>())`
    insert into external_key_counters as counter (org_id, resource, last_number)
    values (${transaction.orgId}, ${resource}, 1)
    on conflict (org_id, resource) do update set last_number = counter.last_number + 1
    returning last_number`);
  return last_number;
}

interface Counter {
  last_number: number;
}

const TABLE = { asset: sql.fragment`assets`, location: sql.fragment`locations` };

/** The first number after `taken` whose key no live row has; found in one go, however many are taken in a row. */
async function skipTakenNumbers(
  transaction: OrganizationConnection,
  resource: Keyed,
  taken: number,
): Promise<number> {
  const { orgId } = transaction;
  const { last_number } = await transaction.one(sql.type(rowsOf<Counter>())`
    with recursive candidate (number) as (
      select ${taken}::bigint + 1
      union all
      select number + 1 from candidate
      where exists (
        select from ${TABLE[resource]} taken
        where taken.org_id = ${orgId} and taken.deleted_at is null
          and taken.external_key = ${PREFIX[resource]} || lpad(number::text, greatest(4, length(number::text)), '0')
      )
    )
    update external_key_counters set last_number = (select max(number) from candidate)
    where org_id = ${orgId} and resource = ${resource}
    returning last_number`);
  return last_number;
}
