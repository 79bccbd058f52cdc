import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { organizationTables } from '../../../db/timescale/erase/organization-tables.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { createConsumer } from '../../../domain/administration/mqtt-consumers/consumers.ts';
import { createUser } from '../../../domain/administration/users/create-user.ts';
import { invite } from '../../../domain/administration/users/links/make-link.ts';
import { MOST_OF_ORGANIZATION, requireRoom } from '../../../domain/changes/require-room.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useApi } from '../../support/api.ts';

const PLAN = `insert into plans (org_id, name, media_type, width, height, image, sha256)
  select $ORG, 'p' || at, 'image/png', 1, 1, image, sha256(image) from generate_series(1, $COUNT) at,
    lateral (select '\\x89'::bytea as image) made`;

type Kind = keyof typeof MOST_OF_ORGANIZATION;

/** Views, plans, printers, queries, ranges and webhooks are made over HTTP only, and tested there. */
type Tested = Exclude<
  Kind,
  'assetViews' | 'epcisQueries' | 'plans' | 'printers' | 'serialRanges' | 'webhooks'
>;

/** A few rows for each row of another table; below, those that grow with time, as rates allow, until retention drops them. */
const BOUNDED_BY_OTHERS = `
  external_key_counters live_row_counts positions mqtt_topics mqtt_feeds mqtt_outdated move_heads change_heads
  alert_mail_recipients alert_cursors alert_faults alert_floods alert_revisions silence_faults
  silence_revisions sealing_faults publishing_faults history_recomputations newest_readings webhook_lanes
  webhook_settled reader_counters reader_flaws normal_key_progress normal_key_collisions reader_connections
  reader_delays reader_proofs cell_moves

  scan_events tag_readings submissions retractions sweeps sweep_assets received_messages location_transitions
  history_marks moves move_days unsealed_moves change_events change_days unsealed_changes alerts reader_spans
  reader_joined_spans reader_packed_spans webhook_attempts antenna_versions location_versions changes epcis_events
`.split(/\s+/);

describe('what an organization may have', () => {
  const api = useApi();
  let db: Database;
  let orgId: number;
  let made = 0;
  before(() => {
    db = databaseOn(api.database.pool);
  });
  beforeEach(async () => {
    ({ orgId } = await api.organization());
  });

  const fill = (statement: string, count: number) =>
    api.database.rows(
      `set session_replication_role = replica; ${statement
        .replaceAll('$ORG', String(orgId))
        .replaceAll('$COUNT', String(count))}; reset session_replication_role`,
    );
  /** What fills the table, how another one is made, and what makes room for one. */
  const kinds: Record<Tested, { filling: string; make(): Promise<unknown>; freeing: string }> = {
    apiKeys: {
      filling: `insert into api_keys (org_id, id, name, scopes, secret_sha256)
        select $ORG, $ORG || '-' || at, 'k', '{assets:read}', sha256('') from generate_series(1, $COUNT) at`,
      make: () =>
        createApiKey(db, TEST_ACTOR, { orgId, name: 'another', scopes: ['assets:read'], expiresAt: null }),
      freeing: `update api_keys set revoked_at = now() where id = $ORG || '-1'`,
    },
    handhelds: {
      filling: `insert into handhelds (org_id, name, token_sha256)
        select $ORG, 'h', sha256('') from generate_series(1, $COUNT) at`,
      make: () => createHandheld(db, TEST_ACTOR, { orgId, name: 'another' }),
      freeing: `update handhelds set revoked_at = now()
        where org_id = $ORG and id = (select min(id) from handhelds where org_id = $ORG)`,
    },
    members: {
      filling: `with made as (
          insert into users (email, name) select 'u' || at || '-$ORG@example.com', 'u' from generate_series(1, $COUNT) at
          returning id
        ) insert into memberships (org_id, user_id, role) select $ORG, id, 'viewer' from made`,
      make: () =>
        createUser(db, TEST_ACTOR, {
          ...{
            email: `another${++made}@example.com`,
            name: 'another',
            membership: { orgId, role: 'viewer' },
          },
        }),
      freeing: `delete from memberships
        where org_id = $ORG and user_id = (select min(user_id) from memberships where org_id = $ORG)`,
    },
    invitations: {
      filling: `insert into user_links (digest, purpose, org_id, role, email, expires_at)
        select sha256(('l' || at || '-$ORG')::bytea), 'invite', $ORG, 'viewer', 'i' || at || '@example.com',
          now() + interval '1 day' from generate_series(1, $COUNT) at`,
      make: () => invite(db, TEST_ACTOR, { orgId, email: `invited${++made}@example.com`, role: 'viewer' }),
      freeing: `update user_links set expires_at = now() where org_id = $ORG and email = 'i1@example.com'`,
    },
    consumers: {
      filling: `insert into mqtt_consumers (org_id, name, password_sha256)
        select $ORG, 'c', sha256('') from generate_series(1, $COUNT) at`,
      make: () => createConsumer(db, TEST_ACTOR, { orgId, name: 'another' }),
      freeing: `delete from mqtt_consumers
        where org_id = $ORG and id = (select min(id) from mqtt_consumers where org_id = $ORG)`,
    },
  };

  for (const [kind, { filling, make, freeing }] of Object.entries(kinds)) {
    const { most, plural, remedy } = MOST_OF_ORGANIZATION[kind as Tested];
    it(`are ${most} ${plural} at most; the refusal says what to do`, async () => {
      const [row] = await api.database.rows<{ keys: number }>(
        'select count(*)::integer as keys from api_keys where org_id = $1',
        [orgId],
      );
      await fill(filling, most - (kind === 'apiKeys' ? (row?.keys ?? 0) : 0));
      const refused = await make().catch((error: unknown) => error);
      expect(refused).to.include({ code: 'conflict' });
      expect(refused)
        .to.have.property('message')
        .that.equals(`Organization ${orgId} has ${most} ${plural}; the maximum is ${most}; ${remedy}`);
      await fill(freeing, 0);
      await make();
    });
  }

  for (const [resource, most] of [
    ['asset', 10_000_000],
    ['location', 1_000_000],
  ] as const) {
    it(`are ${most} ${resource}s at most, however they are made`, async () => {
      const { key } = await api.organization();
      const create = (name: string) =>
        api.call({ method: 'POST', path: `/api/v1/${resource}s`, key, json: { name } });
      const first = await create('first');
      expect(first.status, first.text).to.equal(201);
      await api.database.rows(
        `update live_row_counts set row_count = $1 where resource = $2
         and org_id = (select org_id from ${resource}s where id = $3)`,
        [most - 1, resource, first.body?.data.id],
      );
      expect((await create('last')).status).to.equal(201);
      const refused = await create('too many');
      expect(refused.status, refused.text).to.equal(409);
      expect(refused.text).to.include(
        `would have more than ${most} ${resource}s, the maximum; delete some first`,
      );
    });
  }

  it('has a line for each table in the documents, with the maximum', async () => {
    const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
    const client = await api.database.pool.connect();
    const tables = await organizationTables(client).finally(() => client.release());
    const missing = tables
      .map(({ name }) => name)
      .filter((name) => !page.includes(`\`${name}\``) && !BOUNDED_BY_OTHERS.includes(name));
    expect(missing, 'tables without a line in docs/limits.md').to.deep.equal([]);
    const text = page.replaceAll(',', '');
    for (const { most, plural } of Object.values(MOST_OF_ORGANIZATION)) {
      expect(text).to.match(new RegExp(`\\| ${plural} \\| [^|]*\\| ${most} \\|`));
    }
  });

  it('is refused where a plan would be one too many', async () => {
    await fill(PLAN, MOST_OF_ORGANIZATION.plans.most);
    const refused = await inTransaction(api.database.pool, (client) =>
      requireRoom(client, orgId, 'plans'),
    ).catch((error: unknown) => error);
    expect(refused).to.have.property('message').that.includes('has 200 plans; the maximum is 200');
  });
});
