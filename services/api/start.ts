import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { RecentReads } from '../../base/recent-reads.ts';
import type { AccessDoor } from '../../db/timescale/connections/access-door.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { SEQUENCE_USE, type SequenceUse } from '../../db/timescale/schema/sequence-use.ts';
import { parseKey } from '../../domain/administration/api-keys/key-format.ts';
import { startCredentialUsage } from '../../platform/access/credential-usage.ts';
import { startRefusedSignIns } from '../../platform/access/refused-sign-ins.ts';
import { startAccess } from '../../platform/access/start-access.ts';
import type { LargeBodies } from '../../platform/http/large-bodies.ts';
import { answerUnparsed } from '../../platform/http/unparsed.ts';
import { limitSignInFailures } from '../../platform/rate-limit/sign-in-failures.ts';
import { MACHINE_CLOCKS, startLimiter } from '../../platform/rate-limit/start-limiter.ts';
import { requireDatabase } from '../../platform/runtime/database.ts';
import { type Check, createHealth } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { serve } from '../../platform/runtime/listen-on.ts';
import { measureCertificate, measureProcess } from '../../platform/runtime/measure-process.ts';
import { requireWritable } from '../../platform/runtime/require-database.ts';
import type { ServerTls } from '../../platform/runtime/server-tls.ts';
import { keepYoungObjectsApart } from '../../platform/runtime/short-lived-objects.ts';
import { startTls } from '../../platform/runtime/start-tls.ts';
import { watchServers } from '../../platform/runtime/watch-servers.ts';
import { findKeys, writeLastUsed } from './access/queries.ts';
import { createApp } from './app.ts';
import type { ApiConfig } from './config.ts';
import type { ApiContext } from './serving/context.ts';
import { startServing } from './start-serving.ts';

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
  keepYoungObjectsApart();
  await requireDatabase(config.DATABASE_URL);
  measureProcess(registry);
  const tls = shared ?? (await startTls(config, { log, lifecycle }));
  measureCertificate(registry, tls);
  const access = await startAccess(
    { url: config.DATABASE_URL, applicationName: 'tagtrail api', find: findKeys },
    { log, lifecycle },
  );
  measureSequences(registry, access.door);
  const { usage: keyUsage } = await lifecycle.start(
    'key usage',
    () => startCredentialUsage((uses) => writeLastUsed(access.door, uses), { log, what: 'API keys' }),
    (started) => started.stop(),
  );
  const refusedSignIns = await startRefusedSignIns(access.door, { log, lifecycle });
  const serving = await startServing(config, {
    ...{ applicationName: 'tagtrail api', connections: CONNECTIONS, keys: access.credentials },
    ...{ largeBodies, log, lifecycle, registry },
  });
  const health = createHealth({
    registry,
    stopping: lifecycle.stopping,
    checks: { database: access.askDatabase, ...checks },
    // Reads are served all the same.
    notices: {
      writing: async () => {
        await requireWritable(access.door);
        serving.door.requireWriting();
      },
      ids: () => requireIds(access.door),
      ...notices,
      ...(await watchServers(config.DATABASE_URL, { log, lifecycle })),
    },
  });
  const limiter = await startLimiter(
    {
      perMinute: config.RATE_LIMIT_PER_MINUTE,
      burst: config.RATE_LIMIT_BURST,
      redisUrl: config.REDIS_URL,
      nameOf: ({ actor }: ApiContext) => actor.id,
    },
    { log, registry, lifecycle, clocks },
  );
  const description = {
    publicUrl: config.PUBLIC_URL,
    limits: { perMinute: config.RATE_LIMIT_PER_MINUTE, burst: config.RATE_LIMIT_BURST },
  };
  const logRequests = config.LOG_REQUESTS;
  const app = createApp({
    serving,
    keys: access.credentials,
    keyUsage,
    health,
    log,
    logRequests,
    trustedProxies: config.TRUSTED_PROXIES,
    registry,
    limiter,
    refuseSignIn: limitSignInFailures(config.SIGN_IN_FAILURES_PER_MINUTE, clocks.monotonic, registry),
    noteRefusal: (token, { caller }, address = '') =>
      refusedSignIns.note({
        ...{ kind: 'key', address, isKnown: caller !== undefined },
        name: parseKey(token)?.id ?? '',
      }),
    description,
  });
  const address = { host: config.HOST, port: config.API_PORT, setting: 'API_PORT' };
  return serve(app.callback(), address, {
    prepare: (server) => answerUnparsed(server, () => limiter.idle()),
    tls,
    log,
    lifecycle,
    says: 'API listening',
  });
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
