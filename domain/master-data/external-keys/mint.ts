import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { TABLES } from '../by-id-or-key.ts';
import { claim } from '../claims.ts';

const PREFIX: Record<Keyed, string> = { asset: 'ASSET-', location: 'LOC-' };

/** `ASSET-0042`: four digits, and more when they are needed. */
function mintedKey(resource: Keyed, number: number): string {
  return PREFIX[resource] + String(number).padStart(4, '0');
}

/**
 * Inserts a row under the next free key of the organization's sequence. The counter's row stays locked until the
 * transaction ends, so concurrent creates get different numbers; numbers whose key a live row has are skipped.
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
    const key = mintedKey(resource, number);
    const [, inserted] = await Promise.all([claim(transaction, [`${resource}:${key}`]), insert(key)]);
    if (inserted !== null) {
      return inserted;
    }
    number = await skipTakenNumbers(transaction, resource, number);
  }
}

/**
 * {@link insertWithMintedKey} for many rows at once.
 *
 * @param insert inserts a row under each of the given keys; the keys that were not taken.
 */
export async function insertWithMintedKeys(
  transaction: OrganizationConnection,
  resource: Keyed,
  count: number,
  insert: (externalKeys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  for (let left = count; left > 0; ) {
    const last = await takeNumbers(transaction, resource, left);
    const keys = Array.from({ length: left }, (_, index) => mintedKey(resource, last - left + 1 + index));
    left -= (await insert(keys)).size;
    if (left > 0) {
      // Gives back the first free number, for the next round.
      const free = await skipTakenNumbers(transaction, resource, last);
      await setLastNumber(transaction, resource, free - 1);
    }
  }
}

function takeNumber(transaction: OrganizationConnection, resource: Keyed): Promise<number> {
  return takeNumbers(transaction, resource, 1);
}

/** Takes consecutive numbers. @returns the last of them. */
async function takeNumbers(
  transaction: OrganizationConnection,
  resource: Keyed,
  count: number,
): Promise<number> {
  const { last_number } = await transaction.one(sql.prepared('take-numbers', rowsOf<Counter>())`
    insert into external_key_counters as counter (org_id, resource, last_number)
    values (${transaction.orgId}, ${resource}, ${count})
    on conflict (org_id, resource) do update set last_number = counter.last_number + ${count}
    returning last_number`);
  return last_number;
}

async function setLastNumber(
  transaction: OrganizationConnection,
  resource: Keyed,
  number: number,
): Promise<void> {
  await transaction.exec(sql.type(NO_ROWS)`
    update external_key_counters set last_number = ${number}
    where org_id = ${transaction.orgId} and resource = ${resource}`);
}

interface Counter {
  last_number: number;
}

/** The first number after `taken` whose key is free, in one statement however many are taken. */
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
        select from ${TABLES[resource]} taken
        where taken.org_id = ${orgId} and taken.deleted_at is null
          and taken.external_key = ${PREFIX[resource]} || lpad(number::text, greatest(4, length(number::text)), '0')
      )
    )
    update external_key_counters set last_number = (select max(number) from candidate)
    where org_id = ${orgId} and resource = ${resource}
    returning last_number`);
  return last_number;
}
