import { expect } from 'chai';
import { pino } from 'pino';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { createOrganization } from '../../domain/administration/organizations/organizations.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import type { ApiConfig } from '../../services/api/config.ts';
import { startApi } from '../../services/api/start.ts';
import { TEST_ACTOR } from './actor.ts';
import { type TestDatabase, useDatabase } from './database.ts';
import { type Answer, expectDeclared } from './declared-answer.ts';

export interface Call {
  method?: string;
  /** Path and query below the server's address. */
  path: string;
  /** The API key; null for none. The suite's own key if left out. */
  key?: string | null;
  /** Sent as JSON, with the media type of the method. */
  json?: unknown;
  /** Sent as it is. */
  body?: string | Uint8Array;
  headers?: Record<string, string>;
}

export interface TestApi {
  database: TestDatabase;
  /** Where it listens. */
  url: string;
  orgId: number;
  /** A key of the suite's organization with the five public scopes. */
  key: string;
  /** Makes a request; what comes back is checked against the route's declaration. */
  call(call: Call): Promise<Answer>;
  organization(name?: string): Promise<{ orgId: number; key: string }>;
  keyWith(scopes: readonly string[], options?: { orgId?: number; expiresAt?: string }): Promise<string>;
}

/** Settings of an API on a database, on a free port, with limits that no test meets by accident. */
export function apiConfig(databaseUrl: string): ApiConfig {
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_READ_URL: null,
    TLS_CERT_FILE: null,
    TLS_KEY_FILE: null,
    HOST: '127.0.0.1',
    API_PORT: 0,
    RATE_LIMIT_PER_MINUTE: 60_000,
    RATE_LIMIT_BURST: 60_000,
    SIGN_IN_FAILURES_PER_MINUTE: 60_000,
    TRUSTED_PROXIES: [],
    QUERY_TIMEOUT_MS: 10_000,
    SECRETS_KEY: null,
    WEBHOOK_NETWORKS: [],
    REDIS_URL: null,
    PUBLIC_URL: null,
    SHUTDOWN_DELAY_MS: 0,
    CONSOLE_URL: 'https://tracking.example.com',
    LOG_LEVEL: 'silent',
    LOG_REQUESTS: 'failed',
  };
}

/** The real API on a database of the suite's own, listening on a free port, with one organization and its key. */
export function useApi(settings: Partial<ApiConfig> = {}): TestApi {
  const lifecycle = new Lifecycle(pino({ level: 'silent' }));
  // Hooks run in the order they are registered in: the API stops before its database is dropped.
  after(() => lifecycle.stop());
  const database = useDatabase();
  const api = { database } as TestApi;

  before(async () => {
    const log = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
    const pool = await lifecycle.start(
      'arranging',
      () => createWritePool(database.url, { max: 2 }),
      (started) => started.end(),
    );
    api.url = (await startApi({ ...apiConfig(database.url), ...settings }, log, lifecycle)).url;
    api.organization = async (name = 'Acme') => {
      const { id: orgId } = await createOrganization(databaseOn(pool), TEST_ACTOR, name);
      return { orgId, key: await api.keyWith(PUBLIC_SCOPES, { orgId }) };
    };
    api.keyWith = async (scopes, { orgId = api.orgId, expiresAt } = {}) => {
      // None can be made that has expired.
      const hasExpired = expiresAt !== undefined && Date.parse(expiresAt) < Date.now();
      const { id, key } = await createApiKey(databaseOn(pool), TEST_ACTOR, {
        orgId,
        name: 'test',
        scopes,
        expiresAt: hasExpired ? null : (expiresAt ?? null),
      });
      if (hasExpired) {
        await database.rows('update api_keys set expires_at = $2 where id = $1', [id, expiresAt]);
      }
      return key;
    };
    Object.assign(api, await api.organization());
  });

  api.call = async ({ method = 'GET', path, key = api.key, json, body, headers = {} }) => {
    const hasBody = json !== undefined || body !== undefined;
    const response = await fetch(api.url + path, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(hasBody ? { 'Content-Type': mediaTypeOf(method) } : {}),
        ...headers,
      },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
    });
    const text = await response.text();
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? null : JSON.parse(text),
    };
    expectDeclared(method, path, answer, json);
    return answer;
  };
  return api;
}

function mediaTypeOf(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

/** Expects a `validation_error` with exactly these fields and codes, in this order. */
export function expectIssues(
  answer: Answer,
  issues: readonly (readonly [field: string, code: string])[],
): void {
  expect(answer.body?.error).to.include({ type: 'validation_error', status: 400 });
  const found = answer.body?.error?.fields?.map(({ field, code }) => [field, code]);
  expect(found).to.deep.equal(issues);
}

export function expectProblem(answer: Answer, type: string, detail?: string): void {
  expect(answer.body?.error?.type, answer.text).to.equal(type);
  if (detail !== undefined) {
    expect(answer.body?.error?.detail).to.equal(detail);
  }
}
