import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { onServer, SERVER_URL, TEMPLATE_DATABASE } from './database.ts';
import { beginNotes, endNotes } from './programs.ts';

/**
 * One server for the whole run: the one `TEST_DATABASE_URL` names (a superuser's address), or an embedded one in a
 * throw-away folder. Every test file works on its own copy of the migrated template.
 */
let embedded: EmbeddedDatabase | undefined;
let folder: string | undefined;
let isInterrupted = false;

/** What tests of several files share and started when they needed it. */
const closing: (() => Promise<unknown>)[] = [];

export function atEnd(close: () => Promise<unknown>): void {
  closing.push(close);
}

export async function mochaGlobalSetup(): Promise<void> {
  beginNotes();
  // Of two signals the first does it: Ctrl-C reaches every process of the terminal, and mocha sends itself another.
  process.on('SIGINT', () => {
    if (!isInterrupted) {
      isInterrupted = true;
      mochaGlobalTeardown().finally(() => process.exit(130));
    }
  });
  if (process.env[SERVER_URL] === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-test-'));
    chmodSync(folder, 0o711);
    embedded = await startEmbedded({ data: folder, durable: false });
    process.env[SERVER_URL] = embedded.url;
  }
  await makeTemplate(process.env[SERVER_URL]);
}

/**
 * Closed to everybody, since a database in which somebody is cannot be copied: TimescaleDB would have a worker in it, and
 * each copy would wait five seconds for its end.
 */
async function makeTemplate(server: string): Promise<void> {
  const template = withDatabase(server, TEMPLATE_DATABASE);
  const setOpen = (isOpen: boolean) =>
    onServer((client) => client.query(`alter database ${TEMPLATE_DATABASE} allow_connections ${isOpen}`));
  await createDatabase(template);
  await setOpen(true);
  await migrate(template);
  await setOpen(false);
  await onServer((client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      TEMPLATE_DATABASE,
    ]),
  );
}

export async function mochaGlobalTeardown(): Promise<void> {
  process.stdout.write(endNotes());
  await Promise.all(closing.map((close) => close()));
  await embedded?.stop();
  if (folder !== undefined) {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A rejection that nobody handles would end the product's process. mocha's worker processes drop it while tests run, and
 * between two files it ends the worker, for whose file mocha then waits forever. Here it fails the test under way, and
 * with it the rest of the file, or else the next file.
 */
export const mochaHooks = {
  beforeAll(): void {
    listenForUnhandled();
    failIfUnhandled('in an earlier file');
  },
  afterEach(this: Mocha.Context): void {
    tellCauses(this.currentTest?.err);
    failIfUnhandled('in this test or since the last one');
  },
  afterAll(this: Mocha.Context): void {
    noteTimes(this.test?.parent);
    // mocha ends its worker processes before they would.
    flushCompileCache();
    // mocha removes all listeners at the end of a file.
    setImmediate(listenForUnhandled);
    failIfUnhandled('at the end of this file');
  },
};

/** mocha's worker processes pass on what an error says and nothing of its cause. */
function tellCauses(error: Error | undefined): void {
  for (let cause = error?.cause; error !== undefined && cause instanceof Error; cause = cause.cause) {
    error.stack += `\nCaused by: ${cause.stack}`;
  }
  delete error?.cause;
}

/** By their promises, as mocha emits each once more. */
const unhandled = new Map<unknown, unknown>();

function remember(reason: unknown, promise: unknown): void {
  unhandled.set(promise, reason);
}

function listenForUnhandled(): void {
  process.removeListener('unhandledRejection', remember);
  process.on('unhandledRejection', remember);
}

function failIfUnhandled(where: string): void {
  const [reason] = unhandled.values();
  const isAny = unhandled.size > 0;
  unhandled.clear();
  if (isAny) {
    const error = new Error(`A rejection ${where} was not handled: ${String(reason)}`, { cause: reason });
    tellCauses(error);
    throw error;
  }
}

/** Where to write how long each test file takes; nowhere unless set. */
const { TEST_TIMES } = process.env;
let began = 0;
let busy = 0;

/**
 * Appends a line for a test file that ends: seconds with loading, seconds of processor of its own process and of those that
 * it started and that ended, and its path.
 */
function noteTimes(root: Mocha.Suite | undefined): void {
  const path = root?.suites[0]?.file;
  if (TEST_TIMES === undefined || path === undefined) {
    return;
  }
  const [now, busyNow] = [performance.now() / 1_000, processorSeconds()];
  const columns = [now - began, busyNow - busy].map((each) => each.toFixed(1).padStart(7)).join('');
  appendFileSync(TEST_TIMES, `${columns}  ${relative(process.cwd(), path)}\n`);
  [began, busy] = [now, busyNow];
}

/** Linux counts hundredths of seconds: in user mode and in the kernel, then the same of children that ended. */
function processorSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, each) => sum + Number(each) / 100, 0);
}
