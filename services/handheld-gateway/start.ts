import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { type Clock, createClock } from '../../base/clock.ts';
import { MICROS_PER_DAY } from '../../base/instant.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { openOrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { createRequestPool } from '../../db/timescale/connections/pool.ts';
import { WriteOutage } from '../../db/timescale/connections/write-outage.ts';
import { noteUses } from '../../domain/administration/credential-uses.ts';
import { parseToken } from '../../domain/administration/handhelds/token-format.ts';
import { Hearing } from '../../domain/listening/hearing.ts';
import { wakeSealer } from '../../domain/moves/wake-sealer.ts';
import { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import { sayStoredAhead } from '../../domain/tracking/mend-clock/stored-ahead.ts';
import type { Retracted } from '../../domain/tracking/retractions/retraction.ts';
import { startCredentialUsage } from '../../platform/access/credential-usage.ts';
import { startRefusedSignIns } from '../../platform/access/refused-sign-ins.ts';
import { startAccess } from '../../platform/access/start-access.ts';
import { isAppBuilt } from '../../platform/http/app-files/serve-files.ts';
import { LargeBodies } from '../../platform/http/large-bodies.ts';
import { serveApp } from '../../platform/http/unparsed.ts';
import { limitSignInFailures } from '../../platform/rate-limit/sign-in-failures.ts';
import { MACHINE_CLOCKS, startLimiter } from '../../platform/rate-limit/start-limiter.ts';
import { requireDatabase } from '../../platform/runtime/database.ts';
import { measureFigure } from '../../platform/runtime/figures.ts';
import { createHealth } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { createLog } from '../../platform/runtime/log.ts';
import { checksOfRecording } from '../../platform/runtime/require-database.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import type { ServerTls } from '../../platform/runtime/server-tls.ts';
import { startMeasured } from '../../platform/runtime/start-tls.ts';
import { watchClock } from '../../platform/runtime/watch-clock.ts';
import { watchServers } from '../../platform/runtime/watch-servers.ts';
import { startWorkThreads } from '../../platform/runtime/work-threads.ts';
import { findHandhelds } from './access/queries.ts';
import { createApp } from './app.ts';
import { APP_FOLDER } from './app-folder.ts';
import { type GatewayConfig, readGatewayConfig } from './config.ts';
import { createRecorder, type Recorded, STATUSES } from './recording/record-submission.ts';
import { createSweepRecorder } from './recording/record-sweep.ts';
import { createRetractor } from './recording/retractor.ts';
import type { RecordedSweep } from './recording/take-sweep.ts';
import { SubmissionTurns, WRITE_CONNECTIONS } from './recording/turns.ts';
import { type HandheldContext, openListeners } from './serving/context.ts';

const LOOK_UP_CONNECTIONS = 4;

export interface GatewayParts {
  /** Microseconds since 1970, by this service's clock. */
  clock: () => number;
  databaseClock: DatabaseClock;
  appFolder: string;
  largeBodies: LargeBodies;
  /** The process's, if other services share it. */
  tls: ServerTls | null;
}

/**
 * Starts the handheld gateway.
 *
 * @returns its address.
 * @throws AppError if the database is missing or not migrated, the shared rate limiter's server is missing, or the port
 * is taken.
 */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  lifecycle: Lifecycle,
  {
    clock = createClock(),
    databaseClock = new DatabaseClock(clock),
    appFolder = APP_FOLDER,
    largeBodies,
    tls: shared,
  }: Partial<GatewayParts> = {},
): Promise<{ url: string }> {
  await requireDatabase(config.DATABASE_URL);
  const registry = new Registry();
  const tls = await startMeasured(config, registry, { log, lifecycle }, shared);
  const { door, pool, credentials, askDatabase, usage, refusedSignIns } = await openDatabase(
    config.DATABASE_URL,
    { log, lifecycle },
  );
  const outage = new WriteOutage('scans are refused, as they cannot be recorded');
  const health = createHealth({
    ...{ registry, stopping: lifecycle.stopping },
    checks: { database: askDatabase, ...checksOfRecording(pool, { databaseClock, outage }) },
    notices: {
      ...(await watchServers(config.DATABASE_URL, { log, lifecycle })),
      ...(await watchClock(() => sayStoredAhead(pool), { log, lifecycle })),
    },
  });
  measureClock(registry, databaseClock);
  const limits = {
    perMinute: config.HANDHELD_RATE_LIMIT_PER_MINUTE,
    burst: config.HANDHELD_RATE_LIMIT_BURST,
  };
  const nameOf = ({ handheldId }: HandheldContext) => `handheld:${handheldId}`;
  const limiter = await startLimiter(
    { ...limits, redisUrl: config.REDIS_URL, nameOf },
    { log, registry, lifecycle, clocks: MACHINE_CLOCKS },
  );
  const recorders = recordersOf(config, { pool, outage, clock, databaseClock, registry });
  const app = createApp({
    ...{ door, handhelds: credentials, usage, clock },
    ...recorders,
    ...{ hearing: await startHearing(config.DATABASE_URL, { log, lifecycle }), listeners: openListeners() },
    ...{ health, log, registry, limiter, limits, appFolder },
    logRequests: config.LOG_REQUESTS,
    trustedProxies: config.TRUSTED_PROXIES,
    refuseSignIn: limitSignInFailures(config.SIGN_IN_FAILURES_PER_MINUTE, MACHINE_CLOCKS.monotonic, registry),
    noteRefusal: (token, { caller }, address = '') =>
      refusedSignIns.note({
        ...{ kind: 'handheld', address, isKnown: caller !== undefined },
        name: String(parseToken(token)?.handheldId ?? ''),
      }),
    largeBodies: largeBodies ?? new LargeBodies(await startWorkThreads(log, lifecycle)),
  });
  if (!isAppBuilt(appFolder)) {
    log.warn({ appFolder }, 'Web app is not built; nothing is served at /. Run npm run build:app');
  }
  const address = { host: config.HOST, port: config.HANDHELD_PORT, setting: 'HANDHELD_PORT' };
  return serveApp(app, limiter, address, { tls, log, lifecycle, says: 'Handheld gateway listening' });
}

const APPLICATION = 'tagtrail handhelds';

/** Opens connections for look-ups, recording and tokens, and notes when each token is used. */
async function openDatabase(url: string, running: { log: Logger; lifecycle: Lifecycle }) {
  const { log, lifecycle } = running;
  const door = await lifecycle.start(
    'look-ups',
    () => openOrganizationDoor(url, { max: LOOK_UP_CONNECTIONS, applicationName: APPLICATION }),
    (started) => started.end(),
  );
  const pool = await lifecycle.start(
    'recording',
    () => createRequestPool(url, { max: WRITE_CONNECTIONS, applicationName: APPLICATION }),
    (started) => started.end(),
  );
  const access = await startAccess(
    {
      ...{ url, applicationName: APPLICATION },
      find: (found, ids) => findHandhelds(found, ids.map(Number)),
    },
    running,
  );
  const { credentials, askDatabase } = access;
  const { usage } = await lifecycle.start(
    'use of tokens',
    () =>
      startCredentialUsage((uses) => noteUses(access.door, 'handhelds', uses), {
        log,
        what: 'tokens of handhelds',
      }),
    (started) => started.stop(),
  );
  const refusedSignIns = await startRefusedSignIns(access.door, running);
  return { door, pool, credentials, askDatabase, usage, refusedSignIns };
}

function startHearing(
  url: string,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<Hearing> {
  return lifecycle.start(
    'hearing',
    async () => new Hearing(url, { log, stopping: lifecycle.stopping }),
    (started) => started.stop(),
  );
}

function recordersOf(
  config: GatewayConfig,
  {
    registry,
    ...parts
  }: { pool: Pool; outage: WriteOutage; clock: Clock; databaseClock: DatabaseClock; registry: Registry },
) {
  const { pool, outage, databaseClock } = parts;
  const rules = {
    lateness: config.LATENESS_DAYS * MICROS_PER_DAY,
    retention: config.SCAN_RETENTION_DAYS * MICROS_PER_DAY,
  };
  const turns = new SubmissionTurns();
  const recording = { ...parts, turns, rules, onMoves: wakeSealer(pool) };
  const recorder = createRecorder({ ...recording, onRecorded: countSubmissions(registry) });
  const retractor = createRetractor({ ...recording, onRetracted: countRetractions(registry) });
  const sweeps = createSweepRecorder({
    ...{ pool, outage, databaseClock, turns },
    onRecorded: countSweeps(registry),
  });
  return { recorder, retractor, sweeps };
}

function countSubmissions(registry: Registry): (recorded: Recorded) => void {
  const count = countAnswers(registry, 'tagtrail_handheld_submissions_total', 'Submissions answered.');
  const scans = new Counter({
    name: 'tagtrail_handheld_scans_total',
    help: 'Scans of handhelds, by outcome.',
    labelNames: ['status'] as const,
    registers: [registry],
  });
  return (recorded) => {
    count(recorded);
    if (!recorded.isRepeat) {
      for (const status of STATUSES) {
        scans.inc({ status }, recorded.view.counts[status]);
      }
    }
  };
}

function countSweeps(registry: Registry): (recorded: RecordedSweep) => void {
  return countAnswers(registry, 'tagtrail_handheld_sweeps_total', 'Sweeps answered.');
}

function countRetractions(registry: Registry): (retracted: Retracted) => void {
  return countAnswers(registry, 'tagtrail_handheld_retractions_total', 'Retractions answered.');
}

function countAnswers(registry: Registry, name: string, help: string) {
  const answers = new Counter({ name, help, labelNames: ['outcome'] as const, registers: [registry] });
  return ({ isRepeat }: { isRepeat: boolean }) =>
    answers.inc({ outcome: isRepeat ? 'repeated' : 'recorded' });
}

function measureClock(registry: Registry, databaseClock: DatabaseClock): void {
  const help =
    "How far this machine's clock is ahead of the database's; negative if behind. Beyond 5 s nothing is recorded.";
  measureFigure(registry, 'tagtrail_handheld_clock_ahead_seconds', help, () => databaseClock.ahead);
}

/** Runs it as a process of its own. */
export function runGateway(): Promise<void> {
  return runProcess(() => {
    const config = readGatewayConfig(process.env);
    const log = createLog('handheld-gateway', config.LOG_LEVEL);
    return {
      log,
      boot: (lifecycle) => startGateway(config, log, lifecycle),
      notice: config.SHUTDOWN_DELAY_MS,
    };
  });
}
