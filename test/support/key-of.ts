import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { TEST_ACTOR } from './actor.ts';

/** A key of an organization with the public scopes. */
export async function keyOf(url: string, orgId: number): Promise<string> {
  const pool = createWritePool(url, { max: 1 });
  const wanted = { orgId, name: 'test', scopes: PUBLIC_SCOPES, expiresAt: null };
  const { key } = await createApiKey(databaseOn(pool), TEST_ACTOR, wanted);
  await pool.end();
  return key;
}
