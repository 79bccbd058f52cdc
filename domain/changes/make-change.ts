import { writeJson } from '../../base/json/json-text.ts';
import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import { integers, texts } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, type RowQuery, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from './actor.ts';
import type { ChangeEntry, Fields } from './entry.ts';

/** A transaction with its author: functions that write take one, so the author is always known. */
export type Change<Transaction extends Connection = Connection> = Transaction & { readonly actor: Actor };

export type OrganizationChange = Change<OrganizationConnection>;

export interface ChangeResult<Result> {
  readonly result: Result;
  readonly entries: readonly ChangeEntry[];
}

/** @param entries one for each resource that was changed. */
export function changed<Result>(result: Result, entries: readonly ChangeEntry[]): ChangeResult<Result> {
  return { result, entries };
}

/** Nothing was written, so there is nothing to log. */
export function unchanged<Result>(result: Result): ChangeResult<Result> {
  return { result, entries: [] };
}

interface Transactional<Transaction extends Connection> {
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    last?: (transaction: Transaction, result: Result) => Promise<unknown>,
  ): Promise<Result>;
}

/**
 * Runs `work` in a transaction; retries if the database aborted it in favour of another. The log is written in the same
 * transaction, by a statement that travels with the commit, so it costs no round trip.
 */
export async function makeChange<Transaction extends Connection, Result>(
  db: Transactional<Transaction>,
  actor: Actor,
  work: (change: Change<Transaction>) => Promise<ChangeResult<Result>>,
): Promise<Result> {
  const { result } = await db.transaction(
    async (transaction): Promise<{ result: Result; log: RowQuery<never> | null }> => {
      const { result, entries } = await work({ ...transaction, actor });
      return { result, log: entries.length === 0 ? null : await insertChanges(actor, entries) };
    },
    async (transaction, { log }) => log && transaction.exec(log),
  );
  return result;
}

/**
 * Logs entries immediately: for changes of too many resources to hold until the end, and in transactions that also
 * record scans.
 */
export async function logChanges(
  transaction: Connection,
  actor: Actor,
  entries: readonly ChangeEntry[],
): Promise<void> {
  if (entries.length > 0) {
    await transaction.exec(await insertChanges(actor, entries));
  }
}

/** The statement that logs an author's entries, in their order. */
async function insertChanges(actor: Actor, entries: readonly ChangeEntry[]): Promise<RowQuery<never>> {
  const [before, after] = [[] as (string | null)[], [] as (string | null)[]];
  for (const entry of entries) {
    before.push(await loggedFields(entry.before));
    after.push(await loggedFields(entry.after));
  }
  const column = (of: (entry: ChangeEntry) => string | null) => sql.binary(texts(entries.map(of)));
  const organizations = sql.binary(integers(entries.map(({ orgId }) => orgId)));
  return sql.prepared('insert-changes', NO_ROWS)`${intoChanges(sql.fragment`
    select given.org_id, ${authorOf(actor)}, given.action, given.resource_type, given.resource_id,
      given.external_key, given.before::json, given.after::json
    from unnest(${organizations}::integer[], ${column(({ action }) => action)}::text[],
      ${column(({ resource }) => resource.type)}::text[], ${column(({ resource }) => String(resource.id))}::text[],
      ${column(({ resource }) => resource.externalKey ?? null)}::text[],
      ${sql.binary(texts(before))}::text[], ${sql.binary(texts(after))}::text[]) with ordinality
      as given (org_id, action, resource_type, resource_id, external_key, before, after, ordinal)
    order by given.ordinal`)}`;
}

/**
 * Logs rows that exist only inside a statement, without loading them.
 *
 * @param selected rows of organization, the three columns of {@link authorOf}, action, type and id of the resource, its
 * external key, before, after; large values through `logged_value`.
 */
export function intoChanges(selected: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`insert into changes
    (org_id, actor_type, actor_id, request_id, action, resource_type, resource_id, external_key, before, after)
    ${selected}`;
}

/** Three items of a select list. */
export function authorOf({ type, id, requestId }: Actor): FragmentSqlToken {
  return sql.fragment`${type}::text, ${id}::text, ${requestId}::text`;
}

/**
 * Bytes of JSON up to which a value is logged whole. Larger ones are logged as size and digest: a field of 1 MiB
 * patched once a second would fill 170 GB of disk a day. `logged_value` does the same in
 * the database (`db/timescale/schema/functions/base.sql`).
 */
const MOST_BYTES = 8_192;

/** The JSON of an entry's fields. Large values are digested in the thread pool. */
export async function loggedFields(fields: Fields | null): Promise<string | null> {
  if (fields === null) {
    return null;
  }
  let members = '';
  for (const [name, value] of Object.entries(fields)) {
    const text = writeJson(value);
    const logged = isShort(text) ? text : await leftOut(text);
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${logged}`;
  }
  return `{${members}}`;
}

function isShort(text: string): boolean {
  return (
    text.length * MOST_BYTES_OF_A_UNIT <= MOST_BYTES ||
    (text.length <= MOST_BYTES && Buffer.byteLength(text) <= MOST_BYTES)
  );
}

const MOST_BYTES_OF_A_UNIT = 3;

async function leftOut(text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes));
  return JSON.stringify({ left_out: { bytes: bytes.length, sha256: digest.toString('hex') } });
}
