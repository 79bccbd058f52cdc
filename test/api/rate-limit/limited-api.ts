import { Writable } from 'node:stream';
import { pino } from 'pino';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { createOrganization } from '../../../domain/administration/organizations/organizations.ts';
import { type Clocks, MACHINE_CLOCKS } from '../../../platform/rate-limit/start-limiter.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import type { RateLimitConfig } from '../../../services/api/config.ts';
import { startApi } from '../../../services/api/start.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { apiConfig } from '../../support/api.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';

export interface LimitedApi {
  url: string;
  /** The messages it has logged so far. */
  logged: string[];
  /** Resolves when it has logged `message`, by now or later. */
  hasLogged(message: string): Promise<void>;
  get(path: string, options?: { key?: string; method?: string }): Promise<Budgeted>;
  upload(file: string, options: { key: string; isDryRun?: boolean }): Promise<Budgeted>;
}

/** An answer, and what it says of the caller's budget. */
export interface Budgeted {
  status: number;
  limit: number;
  remaining: number;
  reset: number;
  retryAfter: string | null;
  error: Record<string, unknown> | null;
}

export interface LimitedApis {
  database: TestDatabase;
  /** Another API on the suite's database; it stops after the test. */
  start(limits: Partial<RateLimitConfig>, clocks?: Clocks): Promise<LimitedApi>;
  key(scopes?: readonly string[]): Promise<string>;
}

/** APIs as they are started in production, with the contract's limits unless others are given. */
export function useLimitedApis(): LimitedApis {
  const lifecycles: Lifecycle[] = [];
  const stopAll = async () => {
    await Promise.all(lifecycles.splice(0).map((lifecycle) => lifecycle.stop()));
  };
  afterEach(stopAll);
  const database = useDatabase();
  database.beforeDrop(stopAll);

  return {
    database,
    start: async (limits, clocks = MACHINE_CLOCKS) => {
      const { log, logged, hasLogged } = listeningLog();
      const lifecycle = new Lifecycle(log);
      lifecycles.push(lifecycle);
      const contract = { RATE_LIMIT_PER_MINUTE: 60, RATE_LIMIT_BURST: 120 };
      const config = { ...apiConfig(database.url), ...contract, ...limits };
      const { url } = await startApi(config, log, lifecycle, { clocks });
      return {
        url,
        logged,
        hasLogged,
        get: (path, options) => get(url + path, options),
        upload: (file, options) => upload(url, file, options),
      };
    },
    key: async (scopes = PUBLIC_SCOPES) => {
      const pool = createWritePool(database.url, { max: 1 });
      try {
        const { id: orgId } = await createOrganization(databaseOn(pool), TEST_ACTOR, 'Acme');
        return (
          await createApiKey(databaseOn(pool), TEST_ACTOR, { orgId, name: 'test', scopes, expiresAt: null })
        ).key;
      } finally {
        await pool.end();
      }
    },
  };
}

async function get(url: string, { key, method = 'GET' }: { key?: string; method?: string } = {}) {
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  return budgetOf(await fetch(url, { method, headers }));
}

function upload(url: string, file: string, { key, isDryRun = false }: { key: string; isDryRun?: boolean }) {
  const body = new FormData();
  body.set('file', new Blob([file], { type: 'text/csv' }), 'assets.csv');
  const headers = { Authorization: `Bearer ${key}` };
  return fetch(`${url}/api/v1/assets/bulk?dry_run=${isDryRun}`, { method: 'POST', headers, body }).then(
    budgetOf,
  );
}

async function budgetOf(response: Response): Promise<Budgeted> {
  const text = await response.text();
  return {
    status: response.status,
    limit: Number(response.headers.get('x-ratelimit-limit') ?? Number.NaN),
    remaining: Number(response.headers.get('x-ratelimit-remaining') ?? Number.NaN),
    reset: Number(response.headers.get('x-ratelimit-reset') ?? Number.NaN),
    retryAfter: response.headers.get('retry-after'),
    error: text === '' ? null : (JSON.parse(text).error ?? null),
  };
}

function listeningLog() {
  const logged: string[] = [];
  let wake = Promise.withResolvers<void>();
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(JSON.parse(String(chunk)).msg);
      wake.resolve();
      wake = Promise.withResolvers<void>();
      done();
    },
  });
  const hasLogged = async (message: string) => {
    while (!logged.some((line) => line.includes(message))) {
      await wake.promise;
    }
  };
  return { log: pino({ level: 'debug' }, sink), logged, hasLogged };
}
