import pg from 'pg';
import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import { type Awaiting, awaitLock } from '../connections/await-lock.ts';
import { cancelRunning } from '../connections/cancel-running.ts';
import { connectionConfig } from '../connections/connection.ts';

/** The search indexes (migration 0015), by name, with what each covers. */
const INDEXES = new Map([
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

/** False where their extensions are missing. */
export interface SearchIndexes {
  hasExtensions: boolean;
  missing: string[];
}

export async function findSearchIndexes(client: pg.ClientBase): Promise<SearchIndexes> {
  const { rows } = await client.query<{ has_extensions: boolean; valid: string[] }>(
    `select (select count(*) = 2 from pg_extension where extname in ('pg_trgm', 'btree_gin')) as has_extensions,
       array(
         select relname::text from pg_index join pg_class on pg_class.oid = indexrelid
         where indisvalid and relnamespace = 'public'::regnamespace and relname = any($1)
       ) as valid`,
    [[...INDEXES.keys()]],
  );
  const { has_extensions: hasExtensions = false, valid = [] } = rows[0] ?? {};
  return { hasExtensions, missing: [...INDEXES.keys()].filter((name) => !valid.includes(name)) };
}

/**
 * Builds search indexes that a migration has left out of a database in use, while others read and write. One process
 * builds, the others wait. An interrupted build leaves an invalid index, which is rebuilt.
 *
 * @param onBegin called before each build, which takes half a minute for a million assets.
 * @returns the indexes built.
 */
export async function finishSearchIndexes(
  url: string,
  { signal, onWaiting, onBegin }: Awaiting & { onBegin?(index: string): void } = {},
): Promise<string[]> {
  const client = new pg.Client(connectionConfig(url, 'tagtrail search indexes'));
  client.on('error', () => {});
  await client.connect();
  const cancel = () => void cancelRunning(client);
  const built: string[] = [];
  try {
    if (!(await awaitLock(client, ADVISORY_LOCKS.searchIndexes, { signal, onWaiting }))) {
      return built;
    }
    const { hasExtensions, missing } = await findSearchIndexes(client);
    if (!hasExtensions) {
      return built;
    }
    signal?.addEventListener('abort', cancel);
    for (const name of missing) {
      if (signal?.aborted === true) {
        break;
      }
      onBegin?.(name);
      await client.query(`drop index concurrently if exists ${name}`);
      await client.query(`create index concurrently ${name} on ${INDEXES.get(name)}`);
      built.push(name);
    }
    return built;
  } catch (error) {
    if (signal?.aborted === true) {
      return built;
    }
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    await client.end();
  }
}
