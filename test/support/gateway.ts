import { pino } from 'pino';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { describeGateway } from '../../services/handheld-gateway/app.ts';
import type { GatewayConfig } from '../../services/handheld-gateway/config.ts';
import { type GatewayParts, startGateway } from '../../services/handheld-gateway/start.ts';
import { TEST_ACTOR } from './actor.ts';
import { buildAppIfStale } from './built-app.ts';
import { type TestDatabase, useDatabase } from './database.ts';
import { type Answer, declaredBy } from './declared-by.ts';
import { Site } from './site.ts';

export interface GatewayCall {
  method?: string;
  path: string;
  /** Null for none. The suite's own if left out. */
  token?: string | null;
  json?: unknown;
  /** Sent as it is. */
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  /** Of another gateway; the suite's own if left out. */
  url?: string;
}

export interface TestGateway {
  database: TestDatabase;
  url: string;
  site: Site;
  /** Of a handheld of the suite's organization. */
  token: string;
  handheldId: number;
  /** Makes a request; what comes back is checked against the gateway's description. */
  call(call: GatewayCall): Promise<Answer>;
  /** Sends a submission. */
  submit(json: unknown, call?: Partial<GatewayCall>): Promise<Answer>;
  start(config?: Partial<GatewayConfig>, parts?: Partial<GatewayParts>): Promise<string>;
}

/** Settings of a gateway on a database, on a free port, with limits that no test meets by accident. */
export function gatewayConfig(databaseUrl: string): GatewayConfig {
  return {
    DATABASE_URL: databaseUrl,
    TLS_CERT_FILE: null,
    TLS_KEY_FILE: null,
    HOST: '127.0.0.1',
    HANDHELD_PORT: 0,
    HANDHELD_RATE_LIMIT_PER_MINUTE: 60_000,
    HANDHELD_RATE_LIMIT_BURST: 60_000,
    SIGN_IN_FAILURES_PER_MINUTE: 60_000,
    TRUSTED_PROXIES: [],
    REDIS_URL: null,
    // Tests have clocks of their own, years back, and retention goes by the database's.
    SCAN_RETENTION_DAYS: 36_500,
    LATENESS_DAYS: 30,
    SHUTDOWN_DELAY_MS: 0,
    LOG_LEVEL: 'silent',
    LOG_REQUESTS: 'failed',
  };
}

const expectDeclared = declaredBy(describeGateway({ perMinute: 300, burst: 600 }), '/handheld/');

/** The real gateway on a database of the suite's own, listening on a free port, with a site and its handheld. */
export function useGateway(): TestGateway {
  const log = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const lifecycle = new Lifecycle(log);
  const database = useDatabase();
  const gateway = { database } as TestGateway;
  database.beforeDrop(() => lifecycle.stop());
  gateway.start = async (config = {}, parts = {}) =>
    (await startGateway({ ...gatewayConfig(database.url), ...config }, log, lifecycle, parts)).url;
  before(async () => {
    await buildAppIfStale();
    gateway.url = await gateway.start();
    gateway.site = await Site.create(database);
    const { id, token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'gun',
    });
    Object.assign(gateway, { token, handheldId: id });
  });

  gateway.call = async ({ method = 'GET', path, token = gateway.token, json, body, headers = {}, url }) => {
    const hasBody = json !== undefined || body !== undefined;
    const response = await fetch((url ?? gateway.url) + path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
    });
    const text = await response.text();
    const { status } = response;
    const answer: Answer = {
      status,
      headers: response.headers,
      text,
      body: text === '' ? null : JSON.parse(text),
    };
    expectDeclared(method, path, answer, json);
    return answer;
  };
  gateway.submit = (json, call = {}) =>
    gateway.call({ method: 'POST', path: '/handheld/v1/submissions', json, ...call });
  return gateway;
}
