import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { RecentReads } from '../../base/recent-reads.ts';
import type { AccessDoor } from '../../db/timescale/connections/access-door.ts';
import type { OrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { SEQUENCE_USE, type SequenceUse } from '../../db/timescale/schema/sequence-use.ts';
import { parseKey } from '../../domain/administration/api-keys/key-format.ts';
import { startCredentialUsage } from '../../platform/access/credential-usage.ts';
import { startRefusedSignIns } from '../../platform/access/refused-sign-ins.ts';
import { startAccess } from '../../platform/access/start-access.ts';
import type { LargeBodies } from '../../platform/http/large-bodies.ts';
import { serveApp } from '../../platform/http/unparsed.ts';
import { limitSignInFailures } from '../../platform/rate-limit/sign-in-failures.ts';
import { MACHINE_CLOCKS, startLimiter } from '../../platform/rate-limit/start-limiter.ts';
import { requireDatabase } from '../../platform/runtime/database.ts';
import { type Check, createHealth } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { createLog } from '../../platform/runtime/log.ts';
import { requireWritable } from '../../platform/runtime/require-database.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import type { ServerTls } from '../../platform/runtime/server-tls.ts';
import { startMeasured } from '../../platform/runtime/start-tls.ts';
import { watchServers } from '../../platform/runtime/watch-servers.ts';
import { findKeys, writeLastUsed } from './access/queries.ts';
import { createApp } from './app.ts';
import { type ApiConfig, readApiConfig } from './config.ts';
import type { ApiContext } from './serving/context.ts';
import { startServing } from './start-serving.ts';

const APPLICATION = 'tagtrail api';
const CONNECTIONS = 10;

export interface ApiParts {
  clocks?: typeof MACHINE_CLOCKS;
  registry?: Registry;
  largeBodies?: LargeBodies;
  checks?: Readonly<Record<string, Check>>;
  notices?: Readonly<Record<string, Check>>;
  /** The process's, if other services share it. */
  tls?: ServerTls | null;
}

/**
 * Starts the API.
 *
 * @returns its address.
 * @throws AppError if the database is missing or not migrated, the shared rate limiter's server is missing, or the port
 * is taken.
 */
export async function startApi(
  config: ApiConfig,
  log: Logger,
  lifecycle: Lifecycle,
  {
    clocks = MACHINE_CLOCKS,
    registry = new Registry(),
    largeBodies,
    checks = {},
    notices = {},
    tls: shared,
  }: ApiParts = {},
): Promise<{ url: string }> {
  await requireDatabase(config.DATABASE_URL);
  const tls = await startMeasured(config, registry, { log, lifecycle }, shared);
  const { access, keyUsage, refusedSignIns } = await startKeys(config.DATABASE_URL, { log, lifecycle });
  measureSequences(registry, access.door);
  const serving = await startServing(config, {
    ...{ applicationName: APPLICATION, connections: CONNECTIONS, keys: access.credentials },
    ...{ largeBodies, log, lifecycle, registry },
  });
  const health = createHealth({
    registry,
    stopping: lifecycle.stopping,
    checks: { database: access.askDatabase, ...checks },
    notices: {
      ...noticesOf(access.door, serving.door),
      ...notices,
      ...(await watchServers(config.DATABASE_URL, { log, lifecycle })),
    },
  });
  const limits = { perMinute: config.RATE_LIMIT_PER_MINUTE, burst: config.RATE_LIMIT_BURST };
  const limiter = await startLimiter(
    { ...limits, redisUrl: config.REDIS_URL, nameOf: ({ actor }: ApiContext) => actor.id },
    { log, registry, lifecycle, clocks },
  );
  const app = createApp({
    serving,
    keys: access.credentials,
    keyUsage,
    health,
    log,
    logRequests: config.LOG_REQUESTS,
    trustedProxies: config.TRUSTED_PROXIES,
    registry,
    limiter,
    refuseSignIn: limitSignInFailures(config.SIGN_IN_FAILURES_PER_MINUTE, clocks.monotonic, registry),
    noteRefusal: (token, { caller }, address = '') =>
      refusedSignIns.note({
        ...{ kind: 'key', address, isKnown: caller !== undefined },
        name: parseKey(token)?.id ?? '',
      }),
    description: { publicUrl: config.PUBLIC_URL, limits },
    consoleUrl: config.CONSOLE_URL,
  });
  const address = { host: config.HOST, port: config.API_PORT, setting: 'API_PORT' };
  return serveApp(app, limiter, address, { tls, log, lifecycle, says: 'API listening' });
}

/** Starts looking up keys, noting when each is used, and counting those that are refused. */
async function startKeys(url: string, running: { log: Logger; lifecycle: Lifecycle }) {
  const { log, lifecycle } = running;
  const access = await startAccess({ url, applicationName: APPLICATION, find: findKeys }, running);
  const { usage: keyUsage } = await lifecycle.start(
    'key usage',
    () => startCredentialUsage((uses) => writeLastUsed(access.door, uses), { log, what: 'API keys' }),
    (started) => started.stop(),
  );
  return { access, keyUsage, refusedSignIns: await startRefusedSignIns(access.door, running) };
}

/** Checks that health reports, but that stop no requests: whether it can write, and whether ids remain. */
function noticesOf(access: AccessDoor, door: Pick<OrganizationDoor, 'requireWriting'>) {
  return {
    writing: async () => {
      await requireWritable(access);
      door.requireWriting();
    },
    ids: () => requireIds(access),
  };
}

function measureSequences(registry: Registry, door: Pick<AccessDoor, 'any'>): void {
  new Gauge({
    name: 'tagtrail_ids_used_ratio',
    help: 'Share of the ids for rows of a table that were drawn: 0 to 1.',
    labelNames: ['table'] as const,
    registers: [registry],
    async collect() {
      this.reset();
      // `tagtrail_check_up` reports an unavailable database.
      const uses = await readUses(door).catch(() => []);
      for (const { table, share } of uses) {
        this.set({ table }, share);
      }
    },
  });
}

/** @throws the reason if there are rows that cannot be created any more. */
async function requireIds(door: Pick<AccessDoor, 'any'>): Promise<void> {
  const uses = await recent.read(door, () => readUses(door));
  const usedUp = uses.filter(({ share }) => share >= 1).map(({ table }) => table);
  if (usedUp.length > 0) {
    throw new Error(`no ids are left for new rows of ${usedUp.join(', ')}`);
  }
}

function readUses(door: Pick<AccessDoor, 'any'>): Promise<readonly SequenceUse[]> {
  return door.any(sql.type(rowsOf<SequenceUse>())`${SEQUENCE_USE}`);
}

/** However many ask, as anybody may. */
const recent = new RecentReads<object, readonly SequenceUse[]>(1_000);

/** Runs it as a process of its own. */
export function runApi(): Promise<void> {
  return runProcess(() => {
    const config = readApiConfig(process.env);
    const log = createLog('api', config.LOG_LEVEL);
    return { log, boot: (lifecycle) => startApi(config, log, lifecycle), notice: config.SHUTDOWN_DELAY_MS };
  });
}
