import { expect } from 'chai';
import { pino } from 'pino';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { revokeKey } from '../../domain/administration/api-keys/revoke-key.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { revokeHandheld } from '../../domain/administration/handhelds/revoke-handheld.ts';
import { deleteOrganization } from '../../domain/administration/organizations/organizations.ts';
import { startCredentials } from '../../platform/access/credential-cache.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { Link, targetOf } from '../support/link.ts';
import { Site } from '../support/site.ts';

describe('a credential whose end was answered', () => {
  const database = useDatabase();
  let queries: Pool;
  let orgId: number;

  before(async () => {
    queries = createWritePool(database.url, { max: 1 });
  });
  beforeEach(async () => {
    ({ orgId } = await Site.create(database, 'Org'));
  });
  after(() => queries.end());

  const ENDS: Record<string, () => Promise<{ id: string; table: string; end: () => Promise<unknown> }>> = {
    'key revoke': async () => {
      const { id } = await createApiKey(databaseOn(queries), TEST_ACTOR, {
        orgId,
        name: 'key',
        scopes: [],
        expiresAt: null,
      });
      return { id, table: 'api_keys', end: () => revokeKey(databaseOn(queries), TEST_ACTOR, id) };
    },
    'handheld revoke': async () => {
      const { id } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, { orgId, name: 'handheld' });
      return {
        id: String(id),
        table: 'handhelds',
        end: () => revokeHandheld(databaseOn(database.pool), TEST_ACTOR, id),
      };
    },
    'org delete': async () => {
      const { id } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, { orgId, name: 'handheld' });
      return {
        id: String(id),
        table: 'handhelds',
        end: () => deleteOrganization(databaseOn(queries), TEST_ACTOR, orgId),
      };
    },
  };

  for (const [command, prepare] of Object.entries(ENDS)) {
    it(`is not taken by a process that the news of ${command} does not reach`, async () => {
      const { id, table, end } = await prepare();
      let looks = 0;
      const look = async () => {
        looks += 1;
        const [row] = await database.rows<{ seconds_left: null; isOver: boolean }>(
          `select null as seconds_left, revoked_at is not null or deleted_at is not null as "isOver"
             from ${table} credential join organizations on organizations.id = org_id where credential.id::text = $1`,
          [id],
        );
        return row ?? null;
      };
      const link = await Link.open(targetOf(database.url));
      const { cache, stop } = await startCredentials(link.by(database.url), look, pino({ level: 'silent' }));
      const isOver = async () => (await cache.get(id))?.row.isOver;
      for (let before = -1; before !== looks; ) {
        before = looks;
        expect(await isOver()).to.equal(false);
      }
      // From here on nothing more is looked up, and nothing more is heard.
      link.abandon();
      await end();
      expect(await isOver()).to.equal(true);
      await stop();
      await link.close();
    });
  }
});
