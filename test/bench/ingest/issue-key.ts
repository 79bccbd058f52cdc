import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { TEST_ACTOR } from '../../support/actor.ts';

/** A key of the site's organization. */
export async function issueKey(url: string): Promise<string> {
  const pool = createWritePool(url, { max: 1 });
  const { key } = await createApiKey(databaseOn(pool), TEST_ACTOR, {
    orgId: 1,
    name: 'bench',
    scopes: PUBLIC_SCOPES,
    expiresAt: null,
  });
  await pool.end();
  return key;
}
