import { once } from 'node:events';
import { cpus } from 'node:os';
import { createQueryPool, createWritePool } from '../../db/timescale/pool.ts';
import { createApiKey } from '../../services/api/access/create-api-key.ts';
import { PUBLIC_SCOPES } from '../../services/api/access/scopes.ts';
import { createOrganization } from '../../services/api/orgs/create-organization.ts';
import { API_ROUTES } from '../../services/api/routes.ts';
import { createHandheld } from '../../services/handheld-gateway/devices/create-handheld.ts';
import { GATEWAY_ROUTES } from '../../services/handheld-gateway/routes.ts';
import { loadBuiltinFormats } from '../../services/mqtt-ingest/mapping/builtin.ts';
import { MAX_PAYLOAD_BYTES } from '../../services/mqtt-ingest/mapping/limits.ts';
import { mapMessage } from '../../services/mqtt-ingest/mapping/run.ts';
import { createReader } from '../../services/mqtt-ingest/readers/create-reader.ts';
import type { Route } from '../../services/shared/http/route.ts';
import { largePayloads } from '../mqtt-ingest/fuzz/large-payloads.ts';
import { loadTargets } from '../mqtt-ingest/fuzz/targets.ts';
import { timeOf } from '../support/held-loop.ts';
import { sendRaw } from '../support/raw-request.ts';
import { openDatabaseServer } from './database-server.ts';
import { answerOf, forkFile } from './processes.ts';
import { fill } from './rows/seed.ts';
import type { Attack } from './worst/attacker.ts';
import {
  FILES,
  jsonBodies,
  NUMBERS,
  QUESTIONS,
  readsOfUnknownTags,
  SUBMISSIONS,
  type Worst,
} from './worst/bodies.ts';
import { held, Victim } from './worst/victim.ts';

/** Measures what the worst requests do to somebody else's; `README.md` beside this file says how to read it. */
const CONNECTIONS = 4;
const filter = new RegExp(process.argv[2] ?? '');
const server = await openDatabaseServer();
const { url: databaseUrl } = await fill(server.url, { assets: 20_000, scans: 0 });
const pool = createWritePool(databaseUrl, { max: 2 });
const queries = await createQueryPool(databaseUrl, { max: 1 });

async function organization(name: string): Promise<{ orgId: number; key: string }> {
  const { id: orgId } = await createOrganization(queries, name);
  const { key } = await createApiKey(queries, { orgId, name, scopes: PUBLIC_SCOPES, expiresAt: null });
  return { orgId, key };
}

const [worst, other] = [await organization('worst'), await organization('other')];
const { token } = await createHandheld(pool, { orgId: worst.orgId, name: 'gun' });

async function idOf(text: string, ...values: unknown[]): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(text, values);
  return rows[0]?.id ?? 0;
}

const lookedUp = await idOf(
  `insert into assets (org_id, external_key, name) values ($1, 'A', 'a') returning id`,
  other.orgId,
);
const large = await idOf(
  `insert into assets (org_id, external_key, name, metadata)
   select $1, 'LARGE-' || place, 'a', $2::json from generate_series(1, 60) place returning id`,
  worst.orgId,
  NUMBERS,
);
const ids: Record<string, string | number> = {
  asset_id: large,
  location_id: await idOf(
    `insert into locations (org_id, external_key, name) values ($1, 'L', 'l') returning id`,
    worst.orgId,
  ),
  tag_id: 1,
};
await pool.query(
  `insert into tags (org_id, asset_id, tag_type, value, tag_key)
   select $1, $2, 'rfid', 'T-' || place, 'T-' || place from generate_series(1, 10000) place`,
  [worst.orgId, large],
);
const builtin = loadBuiltinFormats();
const readers = new Map<string, Awaited<ReturnType<typeof createReader>>>();
for (const { name } of builtin.values()) {
  const reader = { orgId: worst.orgId, name, topic: `worst/${name}`, format: name, policies: {} };
  readers.set(name, await createReader(pool, builtin, reader));
}
await pool.end();
await queries.end();

const everything = forkFile('servers/everything.ts', { DATABASE_URL: databaseUrl });
const listening = (await answerOf(everything)) as { url: string; handheldUrl: string; mqttUrl: string };
const victim = new Victim(`${listening.url}/api/v1/assets/${lookedUp}`, other.key);

interface At {
  what: string;
  url: string;
  method: string;
  headers: Record<string, string>;
}

/** Does what takes most of the thread that answers when done once, on a few connections at once. */
async function measure(at: At, cases: readonly Worst[], connections = CONNECTIONS): Promise<void> {
  if (!filter.test(at.what)) {
    return;
  }
  let [worstCase] = cases;
  let most = -1;
  for (const each of cases.length === 1 ? [] : cases) {
    const taken = await costOf(requestOf(at, each));
    if (taken > most) {
      [worstCase, most] = [each, taken];
    }
  }
  if (worstCase !== undefined) {
    await attack(at.what, worstCase.name, { ...requestOf(at, worstCase), connections });
  }
}

function requestOf({ url, method, headers }: At, { bodies, type, search = '', headers: more }: Worst) {
  const media = type === undefined ? {} : { 'content-type': type };
  return { url: url + search, method, headers: { ...headers, ...media, ...more }, bodies };
}

async function costOf({ url, method, headers, bodies }: ReturnType<typeof requestOf>): Promise<number> {
  const body = bodies[0] ?? null;
  const { cpuMs: before } = await held(everything);
  await sendRaw(url, { method, headers, ...(body === null ? {} : { body: Buffer.from(body) }) });
  return (await held(everything)).cpuMs - before;
}

async function attack(what: string, name: string, how: Attack): Promise<void> {
  const { quiet, hostile, heldMs, answered } = await victim.suffer(everything, how);
  const ratio = (hostile / quiet).toFixed(1);
  const said = Object.entries(answered)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');
  const figures = [heldMs.toFixed(0), quiet.toFixed(1), hostile.toFixed(1), ratio].join(' | ');
  console.log(`| \`${what}\` | ${name} | ${figures} | ${said} |`);
}

async function measureRoutes<Context>(
  url: string,
  key: string,
  routes: readonly Route<Context>[],
): Promise<void> {
  // What is deleted can be asked for no more.
  const inOrder = routes.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  for (const { path, method, body } of inOrder) {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === null ? {} : { 'content-type': body.type }),
    };
    const at = {
      what: `${method} ${path}`,
      url: url + path.replace(/\{(\w+)\}/g, (_, name) => `${ids[name]}`),
    };
    await measure({ ...at, method, headers }, body === null ? QUESTIONS : jsonBodies(body.schema));
  }
}

/** What a format takes longest to understand, of a mebibyte; and reads that are understood, of unknown tags. */
async function measureMessages(): Promise<void> {
  const { mqttUrl: url } = listening;
  for (const { format, seeds } of loadTargets()) {
    const created = readers.get(format.name);
    const what = `message: ${format.name}`;
    if (created === undefined || !filter.test(what)) {
      continue;
    }
    const [seed] = seeds;
    const payloads = largePayloads(seed?.payload ?? Buffer.of(), MAX_PAYLOAD_BYTES - 64);
    const times = payloads.map((payload) =>
      timeOf(() => mapMessage(format, { topic: created.topic, payload }), 1),
    );
    const at = times.indexOf(Math.max(...times));
    const reader = { username: created.mqttUsername, password: created.mqttPassword, topic: created.topic };
    await attack(what, `kind ${at + 1}`, {
      connections: CONNECTIONS,
      url,
      reader,
      bodies: [payloads[at] ?? null],
    });
    if (format.name === 'tagtrail') {
      const bodies = readsOfUnknownTags();
      await attack(what, '9,999 unknown tags', { connections: CONNECTIONS, url, reader, bodies });
    }
  }
}

try {
  const since = performance.now();
  console.log(`Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}\n`);
  console.log(
    '| | the worst of it | event loop held, ms | p99 of look-ups, quiet | hostile | ratio | answered |',
  );
  console.log('|---|---|---|---|---|---|---|');
  await measureRoutes(
    listening.url,
    worst.key,
    API_ROUTES.filter(({ isInternal }) => !isInternal),
  );
  const bulk = {
    what: 'POST /api/v1/assets/bulk',
    url: `${listening.url}/api/v1/assets/bulk`,
    method: 'POST',
  };
  for (const file of FILES) {
    await measure({ ...bulk, headers: { authorization: `Bearer ${worst.key}` } }, [file], 1);
  }
  await measureRoutes(listening.handheldUrl, token, GATEWAY_ROUTES);
  const handheld = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const submit = {
    what: 'submissions',
    url: `${listening.handheldUrl}/handheld/v1/submissions`,
    method: 'POST',
  };
  for (const scans of SUBMISSIONS) {
    await measure({ ...submit, headers: handheld }, [scans]);
  }
  await measureMessages();
  console.log(`\n${((performance.now() - since) / 60_000).toFixed(1)} minutes`);
} finally {
  victim.close();
  const ended = once(everything, 'exit');
  everything.kill('SIGTERM');
  await ended;
  await server.close();
}
