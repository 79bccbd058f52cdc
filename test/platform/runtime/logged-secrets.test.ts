import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import mqtt from 'mqtt';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { BEGIN, CALLBACK } from '../../../services/console/oidc/paths.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { aScan, aSubmission } from '../../support/new-submission.ts';
import { PASSWORD, usePeople } from '../../support/people.ts';
import { type Program, run } from '../../support/process.ts';
import { useRedis } from '../../support/redis-server.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';
import { Wanderer } from '../../support/wanderer.ts';

const TOPIC = 'site/portal';
const EVERYTHING = { LOG_LEVEL: 'trace', LOG_REQUESTS: 'all', SHUTDOWN_DELAY_MS: '0' };

describe('the logs of all processes at their lowest level', () => {
  const broker = useMosquitto();
  const redis = useRedis();
  const database = useDatabase();
  const people = usePeople(database);
  /** What must not be in any output, by what it is. */
  const secrets = new Map<string, string>();
  const programs: Program[] = [];
  const secret = (name: string) => {
    const value = randomBytes(18).toString('hex');
    secrets.set(name, value);
    return value;
  };
  /** Keeps a key or a token secret, whole and without its id. */
  const credential = (name: string, value: string) => {
    secrets.set(name, value);
    secrets.set(`the secret part of ${name}`, value.slice(-43));
    return value;
  };
  let databaseUrl: string;
  let site: Site;
  let shelf: number;
  let keys: Awaited<ReturnType<typeof createWritePool>>;

  before(async () => {
    await redis.start();
    const role = `logs_${randomBytes(4).toString('hex')}`;
    const url = new URL(database.url);
    url.username = role;
    url.password = secret('the password of the database');
    databaseUrl = url.href;
    await database.rows(`create role ${role} login superuser password '${url.password}'`);
    keys = createWritePool(database.url, { max: 1 });
    database.beforeDrop(async () => {
      for (const { child, ended } of programs) {
        child.kill('SIGKILL');
        await ended;
      }
      await keys.end();
      await database.rows(`drop role ${role}`);
    });
    site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    shelf = await site.location('SHELF');
  });

  async function start(service: string, environment: NodeJS.ProcessEnv): Promise<Program> {
    const program = run(`services/${service}/main.ts`, [], {
      DATABASE_URL: databaseUrl,
      ...EVERYTHING,
      ...environment,
    });
    programs.push(program);
    await program.printed('"address"');
    return program;
  }
  const addressOf = (program: Program) => /"address":"([^"]+)"/.exec(program.stdout())?.[1] ?? '';
  async function newKey(name: string): Promise<string> {
    const wanted = { orgId: site.orgId, name, scopes: [...PUBLIC_SCOPES, 'keys:admin'], expiresAt: null };
    return credential(name, (await createApiKey(databaseOn(keys), TEST_ACTOR, wanted)).key);
  }
  const mistyped = (name: string, token: string) =>
    credential(name, token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'));
  async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
    const answer = await fetch(url, init);
    await answer.arrayBuffer();
    return answer.status;
  }
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  /** Sends a credential in all the places where it does not belong. */
  async function misplace(url: string, path: string, token: string): Promise<void> {
    const { headers } = bearer(token);
    const json = { ...headers, 'Content-Type': 'application/json' };
    for (const [target, init] of [
      [`${path}?api_key=${token}`, { headers }],
      [`${path}/${token}`, { headers }],
      [`/${token}`, {}],
      [`${path}?limit=${token}`, { headers }],
      [path, { headers: { ...headers, 'X-Request-ID': token } }],
      [path, { headers: { 'X-API-Key': token } }],
      [path, { headers: { Authorization: `Basic ${token}` } }],
      [path, { headers: { Authorization: token } }],
      [path, { method: 'POST', headers: json, body: JSON.stringify({ [token]: token }) }],
      [path, { method: 'POST', headers: json, body: `{"name": ${token}` }],
    ] as [string, RequestInit][]) {
      await statusOf(url + target, init);
    }
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end(`GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nno header\r\n\r\n`).resume();
    await once(socket, 'close');
  }
  /** While a table is away, whoever needs it fails. */
  async function without(table: string, work: () => Promise<void>): Promise<void> {
    await database.rows(`alter table ${table} rename to ${table}_away`);
    await work();
    await database.rows(`alter table ${table}_away rename to ${table}`);
  }

  it('tell what happened, and no secret', async () => {
    const redisUrl = new URL(redis.url);
    redisUrl.password = secret('the password of Redis');
    await redis.command('CONFIG', 'SET', 'requirepass', redisUrl.password);
    const brokerUrl = new URL(broker.url);
    brokerUrl.username = 'ingest';
    brokerUrl.password = secret('the password at the broker');
    const { mqttUsername, mqttPassword } = await createReader(
      databaseOn(database.pool),
      TEST_ACTOR,
      loadBuiltinFormats(),
      {
        orgId: site.orgId,
        name: 'portal',
        topic: TOPIC,
        format: 'tagtrail',
        policies: {},
      },
    );
    secrets.set('the password of the reader', mqttPassword);
    await database.rows('update antennas set location_id = $1', [shelf]);
    const mqttPort = await freePort();
    const secretsKey = randomBytes(32).toString('base64');
    secrets.set('the key of secrets', secretsKey);
    const mailUrl = `smtp://alerts:${secret('the password of the mail server')}@127.0.0.1:1`;
    const mail = { SMTP_URL: mailUrl, MAIL_FROM: 'alerts@example.com' };
    const consoleUrl = `http://127.0.0.1:${await freePort()}`;
    const provider = await startIdentityProvider(`${consoleUrl}${CALLBACK}`);
    database.beforeDrop(() => provider.close());
    const oidc = {
      CONSOLE_URL: consoleUrl,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: secret('the secret at the identity provider'),
    };
    const [api, gateway, ingest, standalone, worker] = await Promise.all([
      start('api', { API_PORT: '0', REDIS_URL: redisUrl.href, SECRETS_KEY: secretsKey }),
      start('handheld-gateway', { HANDHELD_PORT: '0', REDIS_URL: redisUrl.href }),
      start('mqtt-ingest', { INGEST_PORT: '0', MQTT_URL: brokerUrl.href, MQTT_CLIENT_ID: 'logs' }),
      start('standalone', {
        API_PORT: '0',
        HANDHELD_PORT: '0',
        CONSOLE_PORT: new URL(consoleUrl).port,
        MQTT_PORT: String(mqttPort),
        ...oidc,
      }),
      start('worker', { WORKER_PORT: '0', SECRETS_KEY: secretsKey, ...mail }),
    ]);

    const assets = `${addressOf(api)}/api/v1/assets`;
    const key = await newKey('an API key');
    const expired = await newKey('an expired API key');
    await keys.query(`update api_keys set expires_at = '2020-01-02T00:00:00Z' where id = $1`, [
      expired.split('_')[1],
    ]);
    expect(await statusOf(assets, bearer(key))).to.equal(200);
    expect(await statusOf(assets, bearer(expired))).to.equal(401);
    expect(await statusOf(assets, bearer(mistyped('a mistyped API key', key)))).to.equal(401);
    await misplace(addressOf(api), '/api/v1/assets', key);
    const created = await fetch(`${addressOf(api)}/api/v1/orgs/${site.orgId}/api-keys`, {
      method: 'POST',
      headers: { ...bearer(key).headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'another', scopes: ['assets:read'] }),
    });
    expect(created.status).to.equal(201);
    credential(
      'an API key made through the API',
      ((await created.json()) as { data: { key: string } }).data.key,
    );
    await without('assets', async () => {
      expect(await statusOf(assets, bearer(key))).to.equal(500);
    });
    const unseen = await newKey('an API key that cannot be looked up');
    await without('api_keys', async () => {
      expect(await statusOf(assets, bearer(unseen))).to.equal(500);
    });

    const { token, id } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: site.orgId,
      name: 'gun',
    });
    credential('the token of a handheld', token);
    const submissions = `${addressOf(gateway)}/handheld/v1/submissions`;
    const submit = () => {
      const headers = { ...bearer(token).headers, 'Content-Type': 'application/json' };
      const body = JSON.stringify(aSubmission([aScan('E2801160')], { location: { external_key: 'SHELF' } }));
      return statusOf(submissions, { method: 'POST', headers, body });
    };
    expect(await submit()).to.equal(201);
    await misplace(addressOf(gateway), '/handheld/v1/submissions', token);
    await misplace(addressOf(gateway), '/handheld/v1/tags', token);
    expect(
      await statusOf(submissions, { method: 'POST', ...bearer(mistyped('a mistyped token', token)) }),
    ).to.equal(401);
    await without('submissions', async () => {
      expect(await submit()).to.equal(500);
    });

    await until(() => ingest.stdout().includes('Connected to the broker'));
    const publisher = await broker.connect();
    const stored = async () =>
      (await database.rows('select from scan_events where reader_id is not null')).length;
    await until(async () => {
      await publisher.publishAsync(TOPIC, `{"value":"E2801160","x":"${key}"`, { qos: 1 });
      return ingest.stdout().includes('Message rejected');
    });
    await without('scan_events', async () => {
      await publisher.publishAsync(TOPIC, '{"value":"E2801160"}', { qos: 1 });
      await until(() => ingest.stdout().includes('Database unavailable'));
    });
    await until(async () => (await stored()) > 0);
    await broker.stop();
    await until(() => ingest.stdout().includes('Broker cannot be reached'));

    const readers = `mqtt://127.0.0.1:${mqttPort}`;
    const login = { username: mqttUsername, reconnectPeriod: 0 };
    const reader = await mqtt.connectAsync(readers, { ...login, password: mqttPassword });
    await reader.publishAsync(TOPIC, '{"value":"E2801160"}', { qos: 1 });
    await reader.endAsync();
    const wrong = mqttPassword.slice(0, -1);
    secrets.set('a mistyped password of the reader', wrong);
    const refused = await mqtt
      .connectAsync(readers, { ...login, password: wrong })
      .catch((error: Error) => error);
    expect(refused).to.be.instanceOf(Error);

    await standalone.printed('Console listening');
    const { token: session } = await people.user('ann@example.com', { orgId: site.orgId, role: 'admin' });
    credential('a session', session);
    secrets.set('the password of a person', PASSWORD);
    const signIn = (password: string, path = '/console/v1/session') =>
      fetch(consoleUrl + path, {
        method: 'POST',
        headers: { Origin: consoleUrl, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'ann@example.com', password }),
      });
    const signedIn = await signIn(PASSWORD);
    expect(signedIn.status).to.equal(200);
    const cookies = signedIn.headers.getSetCookie().map((cookie) => /=([\w-]{43});/.exec(cookie)?.[1] ?? '');
    expect(cookies).to.have.length(2);
    for (const [index, cookie] of cookies.entries()) {
      credential(`cookie ${index + 1} of a sign-in`, cookie);
    }
    expect((await signIn(secret('a wrong password of a person'))).status).to.equal(401);
    expect((await signIn(PASSWORD, `/console/v1/session?token=${session}`)).status).to.equal(400);
    const headers = { Cookie: `tagtrail_session=${session}` };
    expect(await statusOf(`${consoleUrl}/console/v1/session`, { headers })).to.equal(200);
    await without('memberships', async () => {
      expect((await signIn(PASSWORD)).status).to.equal(500);
    });

    provider.whoComes = 'ann';
    const { way } = await new Wanderer().go(`${consoleUrl}${BEGIN}`, (at) =>
      at.startsWith(`${consoleUrl}/#`),
    );
    expect(way.at(-1)).to.include('refused=failed');
    const code = new URL(way.find((at) => at.includes(CALLBACK)) ?? consoleUrl).searchParams.get('code');
    expect(code).to.be.a('string');
    secrets.set('a code of the identity provider', String(code));

    await redis.stop();
    expect(await statusOf(assets, bearer(key))).to.equal(200);
    await database.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and usename = $1`,
      [new URL(databaseUrl).username],
    );
    await database.rows('update handhelds set revoked_at = now() where id = $1', [id]);
    await until(async () => (await submit()) === 401);
    await until(() => worker.stdout().includes('Job failed'));
    for (const { child, ended } of programs) {
      child.kill('SIGTERM');
      expect(await ended).to.equal(0);
    }

    const output = programs.map((program) => program.stdout() + program.stderr()).join('');
    const told = [...secrets].filter(([, value]) => output.includes(value)).map(([name]) => name);
    expect(told).to.deep.equal([]);
    for (const happening of [
      '"operation":"listAssets"',
      '"operation":"beginSession"',
      '"detail":"API key has expired"',
      '"detail":"Handheld token has been revoked"',
      'relation \\"assets\\" does not exist',
      'relation \\"api_keys\\" does not exist',
      'relation \\"submissions\\" does not exist',
      '_***',
      'Rate limits are not shared',
      'Reader connected',
      'Reader refused',
      'Credential changes are not being received',
      'Sign-in through the identity provider failed',
    ]) {
      expect(output).to.include(happening);
    }
  });
});
