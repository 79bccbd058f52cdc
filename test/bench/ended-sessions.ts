import { once } from 'node:events';
import { cpus } from 'node:os';
import { type Database, databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { revokeKey } from '../../domain/administration/api-keys/revoke-key.ts';
import { deleteReader } from '../../domain/administration/readers/delete-reader.ts';
import { setReader } from '../../domain/administration/readers/set-reader.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { connected, connectReader } from '../support/ingest.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { openDatabaseServer } from './database-server.ts';
import { interleaved } from './interleaved.ts';
import { answerOf, forkFile } from './processes.ts';
import { withReaders } from './with-readers.ts';

/**
 * How soon `npm start` ends what a credential let in, once that is taken away: `node test/bench/ended-sessions.ts 20`, so many
 * times each, in turns.
 */
const rounds = Number(process.argv[2] ?? 20);
/** Each is used up by one measurement; those of the round that does not count too. */
const names = Array.from({ length: 2 * (rounds + 1) }, (_, index) => `portal-${index}`);
const nobody = new Map();

/** ms from the commit until the connection of `name` has ended. */
async function untilEnded(port: number, name: string, change: () => Promise<unknown>): Promise<number> {
  const client = connectReader(port, name);
  await connected(client);
  const ended = new Promise<number>((resolve) => client.once('close', () => resolve(performance.now())));
  await change();
  const since = performance.now();
  return Math.max(0, (await ended) - since);
}

/** Of ten requests after the commit, how many were answered as before. */
async function answeredSince(url: string, db: Database, orgId: number): Promise<number> {
  const { id, key } = await createApiKey(db, TEST_ACTOR, {
    ...{ orgId, name: 'Bench', scopes: ['assets:read'], expiresAt: null },
  });
  const ask = async () =>
    (await fetch(`${url}/api/v1/assets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status;
  if ((await ask()) !== 200) {
    throw new Error('a new key was refused');
  }
  await revokeKey(db, TEST_ACTOR, id);
  const statuses = await Promise.all(Array.from({ length: 10 }, ask));
  return statuses.filter((status) => status !== 401).length;
}

const server = await openDatabaseServer();
try {
  const databaseUrl = await withReaders(server.url, names);
  const pool = createWritePool(databaseUrl, { max: 2 });
  const db = databaseOn(pool);
  const { rows } = await pool.query<{ id: number; orgId: number }>(
    'select id, org_id as "orgId" from readers order by id',
  );
  const child = forkFile('servers/everything.ts', { DATABASE_URL: databaseUrl });
  const { url, mqttUrl } = (await answerOf(child)) as { url: string; mqttUrl: string };
  const port = Number(new URL(mqttUrl).port);
  let used = 0;
  const ending = (change: (readerId: number) => Promise<unknown>) => () => {
    const at = used++;
    return untilEnded(port, names[at] ?? '', () => change(rows[at]?.id ?? 0));
  };
  const results = await interleaved(rounds, {
    'new password of a reader': ending((id) =>
      setReader(db, TEST_ACTOR, nobody, id, { hasNewPassword: true }),
    ),
    'deleted reader': ending((id) => deleteReader(db, TEST_ACTOR, id)),
    'revoked key': () => answeredSince(url, db, rows[0]?.orgId ?? 0),
  });
  const { 'revoked key': answered, ...ended } = results;
  console.log(
    `Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}; ${rounds} rounds`,
  );
  for (const [what, took] of Object.entries(ended)) {
    console.log(`${what}: its connection has ended ${show(spreadOf(took), 0)} ms after the commit`);
  }
  console.log(`revoked key: of 10 requests after the commit ${show(spreadOf(answered), 0)} were not refused`);
  const over = once(child, 'exit');
  child.kill('SIGTERM');
  await over;
  await pool.end();
} finally {
  await server.close();
}
