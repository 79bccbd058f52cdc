import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { run } from '../../support/process.ts';
import { itByNight } from '../../support/random-sets.ts';

/** What takes memory and time to load, and is needed on request only: formats, files, descriptions of one's own. */
const ON_REQUEST = [
  '@redis/client',
  'ajv',
  'amqplib',
  'csv-stringify',
  'esbuild',
  'slonik',
  'undici',
  'yaml',
];

/** Each as it is started, what it says when it is up, and what it has beside the others. */
const PROCESSES: [string, NodeJS.ProcessEnv, string, string[], string[]][] = [
  ['standalone', {}, 'Database ', ['aedes', 'koa', '@slonik/sql-tag'], ['mqtt']],
  ['standalone', { MQTT_URL: 'mqtt://127.0.0.1:1' }, 'Database ', ['mqtt', 'koa'], ['aedes']],
  ['api', {}, 'API listening', ['koa', '@slonik/sql-tag'], ['aedes', 'mqtt']],
  [
    'mqtt-ingest',
    { MQTT_URL: 'mqtt://127.0.0.1:1' },
    'Ingestion running',
    ['mqtt', '@slonik/sql-tag'],
    ['aedes', 'koa'],
  ],
  ['worker', {}, 'Worker running', ['@slonik/sql-tag'], ['aedes', 'koa', 'mqtt']],
  ['handheld-gateway', {}, 'Handheld gateway listening', ['koa'], ['aedes', 'mqtt']],
];

const NOTE_LOADED = `--import=${new URL('../../support/note-loaded.ts', import.meta.url)}`;

describe('a process that starts', () => {
  const database = useDatabase();
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-loaded-'));
    await database.pool.query(`insert into organizations (name) values ('there already')`);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [service, environment, said, needed, others] of PROCESSES) {
    const of =
      Object.keys(environment).length === 0 ? service : `${service} with ${Object.keys(environment)}`;
    const test = ['standalone', 'api', 'mqtt-ingest with MQTT_URL'].includes(of) ? it : itByNight;
    test(`loads no package before it is needed: ${of}`, async () => {
      const file = join(folder, `${service}.json`);
      const program = run(`services/${service}/main.ts`, [], {
        DATABASE_URL: database.url,
        API_PORT: '0',
        HANDHELD_PORT: '0',
        CONSOLE_PORT: '0',
        INGEST_PORT: '0',
        WORKER_PORT: '0',
        MQTT_PORT: '0',
        // Ingestion by itself takes no reads over HTTP unless it is given a port.
        ...(service === 'standalone' ? { READERS_PORT: '0' } : {}),
        SHUTDOWN_DELAY_MS: '0',
        LOADED_FILE: file,
        NODE_OPTIONS: NOTE_LOADED,
        ...environment,
      });
      try {
        await program.printed(said);
      } finally {
        program.child.kill('SIGINT');
      }
      expect(await program.ended, program.stderr()).to.equal(0);
      const loaded: string[] = JSON.parse(readFileSync(file, 'utf8'));
      expect(loaded).to.include.members(['pg', 'pino', 'prom-client', ...needed]);
      expect(loaded.filter((name) => [...ON_REQUEST, ...others].includes(name))).to.deep.equal([]);
    });
  }

  it('loads one command of the command line, and not what others need', async () => {
    const file = join(folder, 'command.json');
    const program = run('services/cli/tagtrail.ts', ['org', 'list'], {
      DATABASE_URL: database.url,
      LOADED_FILE: file,
      NODE_OPTIONS: NOTE_LOADED,
    });
    expect(await program.ended, program.stderr()).to.equal(0);
    const loaded: string[] = JSON.parse(readFileSync(file, 'utf8'));
    expect(loaded).to.include.members(['commander', 'pg']);
    const others = ['@redis/client', 'mqtt', 'prom-client', 'ulid', 'undici'];
    expect(loaded.filter((name) => others.includes(name))).to.deep.equal([]);
  });
});
