import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { openOrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { parseKey } from '../../domain/administration/api-keys/key-format.ts';
import { startAccess } from '../../platform/access/start-access.ts';
import { startRefusedSignIns } from '../../platform/access/start-refused-sign-ins.ts';
import { LargeBodies } from '../../platform/http/large-bodies.ts';
import { answerUnparsed } from '../../platform/http/unparsed.ts';
import { limitSignInFailures } from '../../platform/rate-limit/sign-in-failures.ts';
import { MACHINE_CLOCKS, startLimiter } from '../../platform/rate-limit/start-limiter.ts';
import { requireDatabase } from '../../platform/runtime/database.ts';
import { type Check, createHealth } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { listenOn } from '../../platform/runtime/listen-on.ts';
import { keepYoungObjectsApart } from '../../platform/runtime/short-lived-objects.ts';
import { startWorkThreads } from '../../platform/runtime/start-work-threads.ts';
import { findKeys, writeLastUsed } from './access/queries.ts';
import { startKeyUsage } from './access/start-key-usage.ts';
import { createApp } from './app.ts';
import type { ApiConfig } from './config.ts';
import { measureSequences } from './measure-sequences.ts';
import type { ApiContext } from './serving/context.ts';
import { ImportTurns } from './serving/import-turns.ts';
import { LargeRows } from './serving/large-rows.ts';

/** Per API process for requests, beside those for lists that may read much. */
const CONNECTIONS = 10;

/** Passed in by the caller. */
export interface ApiParts {
  clocks?: typeof MACHINE_CLOCKS;
  /** Metrics registry, shared by the process. */
  registry?: Registry;
  /** Worker threads for large bodies, shared by the process. */
  largeBodies?: LargeBodies;
  /** Further readiness checks of this process. */
  checks?: Readonly<Record<string, Check>>;
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
  { clocks = MACHINE_CLOCKS, registry = new Registry(), largeBodies, checks = {} }: ApiParts = {},
): Promise<{ url: string }> {
  keepYoungObjectsApart();
  await requireDatabase(config.DATABASE_URL);
  collectDefaultMetrics({ register: registry });
  const door = await lifecycle.start(
    'database',
    () =>
      openOrganizationDoor(config.DATABASE_URL, {
        max: CONNECTIONS,
        applicationName: 'tagtrail api',
        scanTimeout: config.QUERY_TIMEOUT_MS,
      }),
    (started) => started.end(),
  );
  const access = await startAccess(
    { url: config.DATABASE_URL, applicationName: 'tagtrail api', find: findKeys },
    { log, lifecycle },
  );
  measureSequences(registry, access.door);
  const { usage: keyUsage } = await lifecycle.start(
    'key usage',
    () => startKeyUsage((uses) => writeLastUsed(access.door, uses), log),
    (started) => started.stop(),
  );
  const refusedSignIns = await startRefusedSignIns(access.door, { log, lifecycle });
  const health = createHealth({
    registry,
    stopping: lifecycle.stopping,
    checks: { database: access.askDatabase, ...checks },
  });
  const limiter = await startLimiter(
    {
      perMinute: config.RATE_LIMIT_PER_MINUTE,
      burst: config.RATE_LIMIT_BURST,
      redisUrl: config.REDIS_URL,
      nameOf: ({ apiKeyId }: ApiContext) => apiKeyId,
    },
    { log, registry, lifecycle, clocks },
  );
  const description = {
    publicUrl: config.PUBLIC_URL,
    limits: { perMinute: config.RATE_LIMIT_PER_MINUTE, burst: config.RATE_LIMIT_BURST },
  };
  const logRequests = config.LOG_REQUESTS;
  const bodies = largeBodies ?? new LargeBodies(await startWorkThreads(log, lifecycle));
  const app = createApp({
    door,
    keys: access.credentials,
    keyUsage,
    health,
    log,
    logRequests,
    registry,
    limiter,
    refuseSignIn: limitSignInFailures(config.SIGN_IN_FAILURES_PER_MINUTE, clocks.monotonic, registry),
    noteRefusal: (token, { caller }, address = '') =>
      refusedSignIns.note({
        ...{ kind: 'key', address, isKnown: caller !== undefined },
        name: parseKey(token)?.id ?? '',
      }),
    largeBodies: bodies,
    imports: new ImportTurns(),
    largeRows: new LargeRows(
      bodies.threads,
      { url: config.DATABASE_URL, timeout: config.QUERY_TIMEOUT_MS },
      import.meta.resolve('./large-rows-thread.ts'),
    ),
    description,
  });
  const listening = await lifecycle.start(
    'http',
    () =>
      listenOn(
        app.callback(),
        { host: config.HOST, port: config.API_PORT, setting: 'API_PORT' },
        {
          prepare: (server) => answerUnparsed(server, () => limiter.idle()),
          stopping: lifecycle.stopping,
        },
      ),
    (started) => started.close(),
  );
  log.info({ address: listening.url }, 'API listening');
  return { url: listening.url };
}
