import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { connectAsync } from 'mqtt';
import { pino } from 'pino';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import * as ts from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { ulid } from 'ulid';
import { ADVISORY_LOCKS } from '../db/timescale/connections/advisory-locks.ts';
import { databaseOn } from '../db/timescale/connections/database.ts';
import { createWritePool } from '../db/timescale/connections/pool.ts';
import { createApiKey } from '../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../domain/administration/api-keys/scopes.ts';
import { createHandheld } from '../domain/administration/handhelds/create-handheld.ts';
import { createOrganization } from '../domain/administration/organizations/organizations.ts';
import { createReader } from '../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../domain/administration/readers/set-antenna.ts';
import { loadBuiltinFormats } from '../domain/formats/mapping/builtin.ts';
import { Lifecycle } from '../platform/runtime/lifecycle.ts';
import { readStandaloneConfig } from '../services/standalone/config.ts';
import { startStandalone } from '../services/standalone/standalone.ts';
import { TEST_ACTOR } from './support/actor.ts';
import { filesBelow, ROOT } from './support/files-below.ts';

/**
 * What the code costs its readers, a line for each figure: `npm run house`. Product code is what is not test, document,
 * generated or configuration.
 */
const ROOMS = ['base/', 'clients/', 'db/', 'domain/', 'platform/', 'services/', 'simulation/'];
const LANGUAGES = ['.ts', '.tsx', '.sql', '.css', '.html'];
const GENERATED =
  /^clients\/typescript\/src\/paths|^clients\/console-app\/src\/api\/answers\.ts$|^db\/timescale\/schema\/schema\.sql$/;
const ROUTE = 'services/api/assets/routes.ts';
const REPETITIONS = 7;

const everything = filesBelow('.');
const product = everything.filter(
  (file) =>
    ROOMS.some((room) => file.startsWith(room)) && LANGUAGES.includes(extname(file)) && !GENERATED.test(file),
);
const modules = product.filter((file) => /\.tsx?$/.test(file));
const sources = parsed();

const importers = new Map<string, number>();
for (const file of modules) {
  for (const imported of importsOf(file, 'all')) {
    importers.set(imported, (importers.get(imported) ?? 0) + 1);
  }
}
const lengths = [...sources.values()].flatMap(functionLengths);
const longerThan = (lines: number) => lengths.filter((length) => length > lines).length;
const documents = everything.filter((file) => file.endsWith('.md'));

say(`import closure of ${ROUTE}`, closureOf(ROUTE).size, 'at most 60');
say('files, .ts and .tsx', modules.length, 'at most 1,500');
say('files with exactly one importer', [...importers.values()].filter((count) => count === 1).length, '450');
say('functions over 60 lines', longerThan(60), '60');
say('functions over 100 lines', longerThan(100), '0');
say('lines of product code', sum(product.map(linesOf)), 'about 115,000');
say('words in documents', sum(documents.map(wordsOf)), '60,000');
for (const [what, { count, wanted }] of Object.entries(await filesExecuted())) {
  say(`files executed: ${what}`, count, String(wanted));
}

function say(what: string, figure: number, wanted: string): void {
  console.log(`${what}: ${figure.toLocaleString('en')} (wanted: ${wanted})`);
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function sourceOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function linesOf(file: string): number {
  return sourceOf(file).split('\n').length - 1;
}

function wordsOf(file: string): number {
  return sourceOf(file).split(/\s+/).filter(Boolean).length;
}

/** The compiler's own syntax trees. Its interface is not stable yet: `package.json` pins the version. */
function parsed(): Map<string, SourceFile> {
  const compiler = new API({ cwd: ROOT });
  const openProjects = everything
    .filter((file) => /(^|\/)tsconfig\.json$/.test(file))
    .map((file) => join(ROOT, file));
  const projects = compiler.updateSnapshot({ openProjects }).getProjects();
  const trees = new Map<string, SourceFile>();
  for (const file of modules) {
    for (const { program } of projects) {
      const source = program.getSourceFile(join(ROOT, file));
      if (source) {
        trees.set(file, source);
        break;
      }
    }
  }
  compiler.close();
  return trees;
}

/** @param which `run`: without types, which are gone when the code runs. */
function importsOf(file: string, which: 'all' | 'run'): Set<string> {
  const imports = new Set<string>();
  const visit = (node: Node): void => {
    const from =
      (ts.isImportDeclaration(node) &&
        !(which === 'run' && node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)) ||
      (ts.isExportDeclaration(node) && !(which === 'run' && node.isTypeOnly))
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (from && ts.isStringLiteral(from) && from.text.startsWith('.')) {
      imports.add(relative(ROOT, normalize(join(ROOT, dirname(file), from.text))));
    }
    node.forEachChild(visit);
  };
  const source = sources.get(file);
  if (source) {
    visit(source);
  }
  return imports;
}

function closureOf(start: string): Set<string> {
  const reached = new Set([start]);
  for (const file of reached) {
    for (const next of importsOf(file, 'run')) {
      reached.add(next);
    }
  }
  return reached;
}

function isFunction(node: Node) {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isGetAccessorDeclaration(node)
  );
}

/** Lines of each function from its head to its end, functions within it included. */
function functionLengths(source: SourceFile): number[] {
  const lines: number[] = [];
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: Node): void => {
    if (isFunction(node) && node.body) {
      lines.push(1 + lineAt(node.end) - lineAt(node.getStart()));
    }
    node.forEachChild(visit);
  };
  visit(source);
  return lines;
}

/** In how many files a function runs while everything runs in one process and one thing is asked of it. */
async function filesExecuted(): Promise<Record<string, { count: number; wanted: number }>> {
  const data = mkdtempSync(join(tmpdir(), 'tagtrail-house-'));
  chmodSync(data, 0o711);
  const log = pino({ level: 'silent' });
  const lifecycle = new Lifecycle(log);
  try {
    const settings = {
      API_PORT: '0',
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
      READERS_PORT: '0',
      MQTT_PORT: '0',
      TAGTRAIL_DATA: data,
    };
    const running = await startStandalone(readStandaloneConfig(settings), log, lifecycle, false);
    const pool = createWritePool(running.databaseUrl, { max: 1 });
    await lifecycle.start(
      'arranging',
      () => pool,
      (started) => started.end(),
    );
    const sealing = await lifecycle.start(
      'sealing',
      () => createWritePool(running.databaseUrl, { max: 1 }).connect(),
      async (session) => session.release(true),
    );
    // As if another process sealed: what follows from a change is not part of it.
    await sealing.query(
      `select pg_terminate_backend(pid), pg_advisory_lock(objid::bigint) from pg_locks where objid = ${ADVISORY_LOCKS.sealing}`,
    );
    const db = databaseOn(pool);
    const { id: orgId } = await createOrganization(db, TEST_ACTOR, 'house');
    const own = { orgId, name: 'house' };
    const { key } = await createApiKey(db, TEST_ACTOR, { ...own, scopes: PUBLIC_SCOPES, expiresAt: null });
    const { token } = await createHandheld(db, TEST_ACTOR, own);
    const ask = async (url: string, bearer: string, init: RequestInit = {}) => {
      const { headers, ...rest } = init;
      const response = await fetch(url, {
        ...rest,
        headers: { authorization: `Bearer ${bearer}`, ...headers },
      });
      const text = await response.text();
      if (!response.ok) {
        throw new Error(`${url} was answered with ${response.status}: ${text}`);
      }
      return JSON.parse(text);
    };
    const api = (path: string, body?: unknown) =>
      ask(`${running.apiUrl}/api/v1/${path}`, key, {
        ...(body !== undefined && {
          ...{ method: 'POST', body: JSON.stringify(body) },
          headers: { 'content-type': 'application/json' },
        }),
      });
    await api('locations', { external_key: 'HOUSE', name: 'House' });
    const tags = [{ tag_type: 'rfid', value: 'E28011700000020A7B5F0001' }];
    const { data: asset } = await api('assets', { external_key: 'A-1', name: 'Asset', tags });
    const reader = await createReader(db, TEST_ACTOR, loadBuiltinFormats(), {
      ...own,
      ...{ topic: 'house', format: 'tagtrail', policies: {} },
    });
    await setAntenna(db, TEST_ACTOR, { readerId: reader.id, port: 1, locationExternalKey: 'HOUSE' });
    const login = { username: reader.mqttUsername, password: reader.mqttPassword };
    const mqtt = await connectAsync(running.mqttUrl, login);
    await lifecycle.start(
      'publishing',
      () => mqtt,
      (started) => started.endAsync(),
    );
    let row = 0;
    return {
      'GET asset': { wanted: 45, count: await filesRunBy(() => api(`assets/${asset.id}`)) },
      'MQTT read': {
        wanted: 80,
        count: await filesRunBy(() =>
          mqtt.publishAsync(reader.topic, JSON.stringify([{ value: tags[0]?.value, antenna: 1 }]), {
            qos: 1,
          }),
        ),
      },
      submission: {
        wanted: 75,
        count: await filesRunBy(() => {
          const now = new Date().toISOString();
          const scans = [{ ...tags[0], observed_at: now }];
          const submission = {
            submission_id: ulid(),
            sent_at: now,
            location: { external_key: 'HOUSE' },
            scans,
          };
          return ask(`${running.handheldUrl}/handheld/v1/submissions`, token, {
            ...{ method: 'POST', body: JSON.stringify(submission) },
            headers: { 'content-type': 'application/json' },
          });
        }),
      },
      'CSV row': {
        wanted: 75,
        count: await filesRunBy(async () => {
          const body = new FormData();
          body.append('file', new Blob([`external_key,name\nB-${row++},Asset\n`]), 'assets.csv');
          const { data: job } = await ask(`${running.apiUrl}/api/v1/assets/bulk`, key, {
            method: 'POST',
            body,
          });
          return job;
        }),
      },
    };
  } finally {
    await lifecycle.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Counted are files that run at each repetition, so that work that only happens at the same time is left out. */
async function filesRunBy(doing: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  const root = pathToFileURL(`${ROOT}/`).href;
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await doing();
  await doing();
  let always: Set<string> | null = null;
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    await pause(500);
    await session.post('Profiler.takePreciseCoverage');
    await doing();
    await pause(20);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const run = result
      .filter(({ functions }) =>
        functions.some(({ ranges, functionName }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
      )
      .map(({ url }) => url.replace(root, ''))
      .filter((file) => ROOMS.some((room) => file.startsWith(room)));
    always = always === null ? new Set(run) : always.intersection(new Set(run));
  }
  session.disconnect();
  return always?.size ?? 0;
}
