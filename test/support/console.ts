import { pino } from 'pino';
import { describeConsole } from '../../clients/console-app/build/answer-types.ts';
import type { Role } from '../../domain/administration/users/roles.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import type { ConsoleConfig } from '../../services/console/config.ts';
import { type ConsoleStart, startConsole } from '../../services/console/start.ts';
import { type TestDatabase, useDatabase } from './database.ts';
import { declaredBy } from './declared-by.ts';
import { type People, usePeople } from './people.ts';

/** The console's types are made of what its routes declare, so that is what they answer. */
const expectDeclared = declaredBy(describeConsole(), '/console/');

export interface ConsoleCall {
  method?: string;
  /** Path and query below `/console/v1`, or the whole path. */
  path: string;
  /** The session's token; null for none. The suite's own administrator's if left out. */
  token?: string | null;
  json?: unknown;
  body?: string | Uint8Array;
  /** Null takes one out. */
  headers?: Record<string, string | null>;
  orgId?: number;
}

export interface ConsoleAnswer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into
  body: any;
}

export interface TestConsole {
  database: TestDatabase;
  people: People;
  url: string;
  orgId: number;
  /** Of an administrator of the suite's organization. */
  token: string;
  call(call: ConsoleCall): Promise<ConsoleAnswer>;
  /** A user's session. */
  as(role: Role, orgId?: number): Promise<string>;
  /** Another console on the same database. */
  start(config?: Partial<ConsoleConfig>, parts?: Partial<ConsoleStart>): Promise<string>;
}

/** Settings of a console on a database, on a free port, with limits that no test meets by accident. */
export function consoleConfig(databaseUrl: string): ConsoleConfig {
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_READ_URL: null,
    TLS_CERT_FILE: null,
    TLS_KEY_FILE: null,
    HOST: '127.0.0.1',
    CONSOLE_PORT: 0,
    CONSOLE_URL: null,
    HANDHELD_URL: null,
    READERS_MQTT_URL: null,
    READERS_HTTP_URL: null,
    HANDHELD_PORT: 8081,
    OIDC_ISSUER: null,
    OIDC_CLIENT_ID: null,
    OIDC_CLIENT_SECRET: null,
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLES: [],
    OIDC_ACR_VALUES: [],
    OIDC_AMR_VALUES: [],
    OIDC_SCOPES: [],
    CONSOLE_PASSWORDS: 'on',
    CONSOLE_RATE_LIMIT_PER_MINUTE: 60_000,
    CONSOLE_RATE_LIMIT_BURST: 60_000,
    CONSOLE_IDLE_MINUTES: 720,
    QUERY_TIMEOUT_MS: 10_000,
    SECRETS_KEY: null,
    WEBHOOK_NETWORKS: [],
    PRINTER_NETWORKS: [],
    SIGN_IN_FAILURES_PER_MINUTE: 60_000,
    TRUSTED_PROXIES: [],
    REDIS_URL: null,
    ...{ LATENESS_DAYS: 30, SCAN_RETENTION_DAYS: 30, MOVES_RETENTION_DAYS: null },
    READINGS_RETENTION_DAYS: 90,
    ADDRESS_RETENTION_DAYS: 365,
    SHUTDOWN_DELAY_MS: 0,
    LOG_LEVEL: 'silent',
    LOG_REQUESTS: 'failed',
  };
}

/** The real console on a database of the suite's own, listening on a free port, with an organization and its administrator. */
export function useConsole(settings: Partial<ConsoleConfig> = {}): TestConsole {
  const log = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const lifecycle = new Lifecycle(log);
  const database = useDatabase();
  const people = usePeople(database);
  const suite = { database, people } as TestConsole;
  database.beforeDrop(() => lifecycle.stop());
  suite.start = async (config = {}, parts = {}) =>
    (await startConsole({ ...consoleConfig(database.url), ...settings, ...config }, log, lifecycle, parts))
      .url;
  let count = 0;
  suite.as = async (role, orgId = suite.orgId) => {
    count += 1;
    return (await people.user(`${role}${count}@example.com`, { orgId, role })).token;
  };
  before(async () => {
    suite.url = await suite.start();
    suite.orgId = await people.organization();
    suite.token = await suite.as('admin');
  });
  suite.call = async ({ method = 'GET', path, token = suite.token, json, body, headers = {}, orgId }) => {
    const hasBody = json !== undefined || body !== undefined;
    const all: Record<string, string | null> = {
      Cookie: token === null ? null : `tagtrail_session=${token}`,
      'X-Tagtrail-Organization': orgId === undefined ? null : String(orgId),
      ...(method === 'GET' || method === 'HEAD' ? {} : { Origin: suite.url, 'X-Tagtrail-Console': '1' }),
      ...(hasBody ? { 'Content-Type': mediaTypeOf(method) } : {}),
      ...headers,
    };
    const response = await fetch(suite.url + (path.startsWith('/console/') ? path : `/console/v1${path}`), {
      method,
      headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
    if (response.ok && isJson) {
      expectDeclared(method, path.startsWith('/console/') ? path : `/console/v1${path}`, answer, json);
    }
    return answer;
  };
  return suite;
}

function mediaTypeOf(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}
