import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import mqtt from 'mqtt';
import { pino } from 'pino';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { readStandaloneConfig } from '../../services/standalone/config.ts';
import { startStandalone } from '../../services/standalone/standalone.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { startPgBouncer, usePgBouncer } from '../support/pgbouncer.ts';
import { startReceiver } from '../support/receiver.ts';
import { Site } from '../support/site.ts';
import { SECRETS_KEY } from '../support/webhooks.ts';

describe('everything, behind PgBouncer in transaction mode and by a login that owns nothing', () => {
  usePgBouncer();
  const database = useDatabase();

  it('records, answers, seals, derives alerts and delivers them', async () => {
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    const receiver = await startReceiver();
    database.beforeDrop(() => database.rows(`drop role if exists everything_${process.pid}`));
    const data = mkdtempSync(join(tmpdir(), 'tagtrail-pooler-'));
    database.beforeDrop(async () => {
      await lifecycle.stop();
      await receiver.close();
      rmSync(data, { recursive: true });
    });
    const site = await Site.create(database);
    const asset = await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    const stranger = (await Site.create(database, 'Stranger')).orgId;
    const db = databaseOn(database.pool);
    const keyOf = async (orgId: number) =>
      (await createApiKey(db, TEST_ACTOR, { orgId, name: 'key', scopes: SCOPES, expiresAt: null })).key;
    const key = await keyOf(site.orgId);
    const { token } = await createHandheld(db, TEST_ACTOR, { orgId: site.orgId, name: 'handheld' });

    const own = new URL(database.url);
    Object.assign(own, { username: `everything_${process.pid}`, password: 'everything' });
    const limited = { ...database, url: own.href };
    const { apiUrl, handheldUrl, mqttUrl } = await startStandalone(
      readStandaloneConfig({
        DATABASE_URL: await startPgBouncer(limited, ['pool_mode = transaction', 'default_pool_size = 20']),
        LISTEN_DATABASE_URL: own.href,
        MIGRATE_DATABASE_URL: database.url,
        TAGTRAIL_DATA: data,
        SECRETS_KEY,
        WEBHOOK_NETWORKS: '127.0.0.1',
        ...{ API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0', READERS_PORT: '0', MQTT_PORT: '0' },
      }),
      log,
      lifecycle,
    );
    const call = async (url: string, by: string, json?: object) => {
      const response = await fetch(url, {
        method: json === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json' },
        body: json === undefined ? null : JSON.stringify(json),
      });
      return { status: response.status, body: await response.json() };
    };
    const api = `${apiUrl}/api/v1`;
    expect((await call(`${api}/webhooks`, key, { url: receiver.url })).status).to.equal(201);
    const rule = { kind: 'not_allowed', location_external_key: 'DOCK', name: 'Nothing at the dock' };
    expect((await call(`${api}/rules`, key, rule)).status).to.equal(201);

    const reader = await mqtt.connectAsync(mqttUrl, { username: 'portal', password: 'portal' });
    await reader.publishAsync('portal', JSON.stringify({ value: 'E280' }), { qos: 1 });
    await reader.endAsync();
    expect((await call(`${api}/assets/${asset}`, key)).body).to.have.nested.property(
      'data.location_external_key',
      'DOCK',
    );
    expect((await call(`${api}/assets/${asset}`, await keyOf(stranger))).status).to.equal(404);

    // The move and the alert.
    await receiver.got(2);
    const types = receiver.received.map(({ body }) => JSON.parse(body).type);
    expect(types).to.deep.equal(['tagtrail.asset.moved.v1', 'tagtrail.alert.opened.v1']);

    const submitted = await call(
      `${handheldUrl}/handheld/v1/submissions`,
      token,
      aSubmission([aScan('E280')]),
    );
    expect(submitted.status).to.equal(201);
  });
});
