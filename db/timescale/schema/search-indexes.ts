import type pg from 'pg';
import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import { pidOf, watchBlockers } from '../connections/blockers.ts';
import { cancelRunning } from '../connections/cancel-running.ts';
import { type Election, whileElected } from '../connections/elected.ts';

const OF_SEARCHES = new Map([
  [
    'locations__searched_text',
    'locations using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops)',
  ],
  ['tags__searched_text', 'tags using gin (org_id, folded(value) gin_trgm_ops) where detached_at is null'],
  [
    'assets__searched_text',
    'assets using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops)',
  ],
]);

/** Those that need no extension. */
const OF_LONG_TABLES = new Map([
  ['changes__org_id_resource', 'changes (org_id, resource_type, resource_id, at, id)'],
  ['changes__org_id_actor', 'changes (org_id, actor_id, at, id)'],
  ['changes__at_of_address', `changes (at) where action = 'sign_in' and after ->> 'address' is not null`],
  ['submissions__org_id_handheld_id_received_at', 'submissions (org_id, handheld_id, received_at)'],
  ['assets__fields', 'assets using gin (asset_fields(org_id, metadata))'],
]);

const INDEXES = new Map([...OF_SEARCHES, ...OF_LONG_TABLES]);

/** False if their extensions are missing. */
export interface SearchIndexes {
  hasExtensions: boolean;
  missing: string[];
}

interface BuildingIndexes extends Pick<Election, 'signal' | 'onWaiting'> {
  /** Called before each build, which takes half a minute for a million assets. */
  onBegin?: ((index: string) => void) | undefined;
  /** @param who has a transaction that the build waits for. */
  onBlocked?: ((index: string, who: string) => void) | undefined;
}

export async function findSearchIndexes(client: pg.ClientBase): Promise<SearchIndexes> {
  const { rows } = await client.query<{ has_extensions: boolean }>(
    `select count(*) = 2 as has_extensions from pg_extension where extname in ('pg_trgm', 'btree_gin')`,
  );
  return { hasExtensions: rows[0]?.has_extensions === true, missing: await missingOf(client, OF_SEARCHES) };
}

async function missingOf(client: pg.ClientBase, indexes: ReadonlyMap<string, string>): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_index join pg_class on pg_class.oid = indexrelid
     where indisvalid and relnamespace = 'public'::regnamespace and relname = any($1)`,
    [[...indexes.keys()]],
  );
  return [...indexes.keys()].filter((each) => !rows.some(({ name }) => name === each));
}

/**
 * Builds indexes of searches, and of long tables, that a migration left out of a database in use, while others read and
 * write. One process builds, the others wait. An interrupted build leaves an invalid index, which is rebuilt.
 *
 * @returns the indexes built.
 */
export async function finishSearchIndexes(
  url: string,
  { signal, onWaiting, onBegin, onBlocked }: BuildingIndexes = {},
): Promise<string[]> {
  const election = { ...SEARCH_INDEXES, signal, onWaiting };
  const built = await whileElected(url, ADVISORY_LOCKS.searchIndexes, election, ({ client }) =>
    buildSearchIndexes(client, url, { signal, onBegin, onBlocked }),
  );
  return built ?? [];
}

/** The session that builds. Its statements may take any time. */
export const SEARCH_INDEXES = { name: 'tagtrail search indexes', patience: null };

/** See 0224. Checked each time, because an earlier build may have been cut off before it. */
const WITHOUT_STATISTICS = `do $$ begin
  if exists (
    select from pg_attribute where attrelid = to_regclass('assets__fields') and attstattarget is distinct from 0
  ) then
    alter index assets__fields alter column 1 set statistics 0;
  end if;
end $$`;

/** {@link finishSearchIndexes} of the one process that builds. */
export async function buildSearchIndexes(
  client: pg.Client,
  url: string,
  { signal, onBegin, onBlocked }: BuildingIndexes,
): Promise<string[]> {
  const cancel = () => void cancelRunning(client);
  const built: string[] = [];
  try {
    const { hasExtensions, missing: ofSearches } = await findSearchIndexes(client);
    const missing = [...(hasExtensions ? ofSearches : []), ...(await missingOf(client, OF_LONG_TABLES))];
    signal?.addEventListener('abort', cancel);
    for (const name of missing) {
      if (signal?.aborted === true) {
        break;
      }
      onBegin?.(name);
      const unwatch = watchBlockers(url, pidOf(client), (who) => onBlocked?.(name, who));
      try {
        await client.query(`drop index concurrently if exists ${name}`);
        await client.query(`create index concurrently ${name} on ${INDEXES.get(name)}`);
      } finally {
        await unwatch();
      }
      built.push(name);
    }
    await client.query(WITHOUT_STATISTICS);
    return built;
  } catch (error) {
    if (signal?.aborted === true) {
      return built;
    }
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
