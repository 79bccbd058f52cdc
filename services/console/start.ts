import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createClock } from '../../base/clock.ts';
import { heardEverywhere } from '../../base/heard-everywhere.ts';
import { MICROS_PER_DAY } from '../../base/instant.ts';
import { RecentReads } from '../../base/recent-reads.ts';
import { openPeopleDoor, type PeopleDoor } from '../../db/timescale/connections/people-door.ts';
import { openSnapshot } from '../../db/timescale/connections/snapshot.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { SESSION_SECONDS } from '../../domain/administration/users/sessions/begin-session.ts';
import {
  countSessions,
  findSessions,
  noteSessionUses,
} from '../../domain/administration/users/sessions/find-sessions.ts';
import { findDevices } from '../../domain/administration/users/sessions/known-devices.ts';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { openPrinters } from '../../domain/labels/printers.ts';
import { Hearing } from '../../domain/listening/hearing.ts';
import type { TimeRules } from '../../domain/tracking/observed-at.ts';
import { startCredentials } from '../../platform/access/credential-cache.ts';
import { startCredentialUsage } from '../../platform/access/credential-usage.ts';
import { lookUpTogether } from '../../platform/access/look-up-together.ts';
import { startRefusedSignIns } from '../../platform/access/refused-sign-ins.ts';
import { isAppBuilt } from '../../platform/http/app-files/serve-files.ts';
import type { LargeBodies } from '../../platform/http/large-bodies.ts';
import { serveApp } from '../../platform/http/unparsed.ts';
import { limitSignInFailures } from '../../platform/rate-limit/sign-in-failures.ts';
import { MACHINE_CLOCKS, startLimiter } from '../../platform/rate-limit/start-limiter.ts';
import { requireDatabase } from '../../platform/runtime/database.ts';
import { createHealth } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import type { ServerTls } from '../../platform/runtime/server-tls.ts';
import type { Configuration } from '../../platform/runtime/settings.ts';
import { startMeasured } from '../../platform/runtime/start-tls.ts';
import { watchServers } from '../../platform/runtime/watch-servers.ts';
import { type Serving, startServing } from '../api/entry.ts';
import { createApp } from './app.ts';
import { APP_FOLDER } from './app-folder.ts';
import { type ConsoleConfig, readConsoleConfig } from './config.ts';
import { ErrandCookie } from './oidc/errand-cookie.ts';
import { CALLBACK } from './oidc/paths.ts';
import type { Provider } from './oidc/provider.ts';
import type { OIDC_SETTINGS } from './oidc/settings.ts';
import type { ConsoleParts } from './serving/console-parts.ts';
import { OwnCookie } from './serving/cookie.ts';
import { HealthChecks } from './serving/health-checks.ts';
import { ConsoleMeasures } from './serving/measures.ts';
import { openAnswers } from './serving/open-answers.ts';
import { Proposals } from './serving/proposals.ts';
import { SignInLimits } from './serving/sign-in-limits.ts';
import { Trials } from './serving/trials.ts';

const APPLICATION = 'tagtrail console';

/** Connections to the database: for requests beside those for lists that may read much, and for users and sessions. */
const CONNECTIONS = 6;
const PEOPLE_CONNECTIONS = 2;

/** Browsers keep no cookie for longer than 400 days. */
const DEVICE_SECONDS = 400 * 86_400;

/** Milliseconds for which an organization's tree of locations is reused. */
const TREE_MS = 1_000;

/** Milliseconds for which an inbox's counts are reused. */
const INBOX_MS = 5_000;

/** Milliseconds for which the states of an organization's assets are counted once: of 20,000 it takes a second. */
const STATES_MS = 60_000;

export interface ConsoleStart {
  appFolder: string;
  largeBodies: LargeBodies;
  clocks: typeof MACHINE_CLOCKS;
  /** The broker of the same process, without a login. */
  mqttUrl: string | null;
  /** The address to which readers push, in the same process. */
  pushUrl: string | null;
  /** The process's, if other services share it. */
  tls: ServerTls | null;
}

/**
 * Starts the console.
 *
 * @returns its address.
 * @throws AppError if the database is missing or not migrated, the shared rate limiter's server is missing, or the port
 * is taken.
 */
export async function startConsole(
  config: ConsoleConfig,
  log: Logger,
  lifecycle: Lifecycle,
  {
    appFolder = APP_FOLDER,
    largeBodies,
    clocks = MACHINE_CLOCKS,
    tls: shared,
    ...ports
  }: Partial<ConsoleStart> = {},
): Promise<{ url: string }> {
  await requireDatabase(config.DATABASE_URL);
  const idleSeconds = config.CONSOLE_IDLE_MINUTES * 60;
  const registry = new Registry();
  const tls = await startMeasured(config, registry, { log, lifecycle }, shared);
  const people = await startPeople(config.DATABASE_URL, lifecycle);
  const { sessions, usage } = await startSessions(config.DATABASE_URL, people, idleSeconds, {
    log,
    lifecycle,
  });
  const refusedSignIns = await startRefusedSignIns(people, { log, lifecycle });
  const serving = await startServing(config, {
    ...{ applicationName: APPLICATION, connections: CONNECTIONS, keys: KEYS },
    ...{ largeBodies, log, lifecycle, registry },
  });
  const limiter = await startLimiter(limitsOf(config), { log, registry, lifecycle, clocks });
  const watching = await startWatching(config, serving, { log, lifecycle });
  const open = openAnswers();
  const measures = new ConsoleMeasures(registry, {
    sessions: () => countSessions(people, idleSeconds),
    streams: () => open.tabs.count,
  });
  const isSecure = tls !== null || config.CONSOLE_URL?.startsWith('https:') === true;
  const provider = await providerOf(config, isSecure);
  const app = createApp({
    provider,
    parts: {
      ...{ serving, people, sessions, usage, idleSeconds, refusedSignIns, ...watching, open, measures },
      ...partsOf(config, isSecure),
      ...addressesOf(config, { ...ports, tls }),
      findDevice: lookUpTogether((digests) => findDevices(people, digests)),
      signInLimits: new SignInLimits(clocks.monotonic),
      ways: { hasPasswords: config.CONSOLE_PASSWORDS === 'on', hasProvider: provider !== null },
    },
    health: createHealth({
      ...{ registry, stopping: lifecycle.stopping },
      checks: { database: () => people.one(sql.type(rowsOf<{ ok: number }>())`select 1 as ok`) },
      notices: await watchServers(config.DATABASE_URL, { log, lifecycle }),
    }),
    ...{ log, logRequests: config.LOG_REQUESTS, trustedProxies: config.TRUSTED_PROXIES },
    ...{ registry, limiter, appFolder, isSecure },
    refuseSignIn: limitSignInFailures(config.SIGN_IN_FAILURES_PER_MINUTE, clocks.monotonic, registry),
  });
  if (!isAppBuilt(appFolder)) {
    log.warn({ appFolder }, 'Console app is not built; nothing is served at /. Run npm run build:app');
  }
  const address = { host: config.HOST, port: config.CONSOLE_PORT, setting: 'CONSOLE_PORT' };
  return serveApp(app, limiter, address, { tls, log, lifecycle, says: 'Console listening' });
}

function limitsOf(config: ConsoleConfig) {
  return {
    perMinute: config.CONSOLE_RATE_LIMIT_PER_MINUTE,
    burst: config.CONSOLE_RATE_LIMIT_BURST,
    redisUrl: config.REDIS_URL,
    nameOf: ({ bucket }: { bucket: string }) => bucket,
  };
}

/** Parts made from the configuration alone. */
function partsOf(config: ConsoleConfig, isSecure: boolean) {
  return {
    cookie: new OwnCookie('session', { seconds: SESSION_SECONDS, isSecure }),
    deviceCookie: new OwnCookie('device', { seconds: DEVICE_SECONDS, isSecure }),
    trustedProxies: config.TRUSTED_PROXIES,
    health: new HealthChecks(config),
    printers: openPrinters(config.PRINTER_NETWORKS),
    trees: new RecentReads(TREE_MS),
    inboxCounts: new RecentReads(INBOX_MS),
    stateCounts: new RecentReads(STATES_MS),
    openSnapshot: (orgId, signal) =>
      openSnapshot(config.DATABASE_URL, { orgId, applicationName: APPLICATION, signal }),
    builtinFormats: loadBuiltinFormats(),
    dating: { rules: timeRulesOf(config), clock: createClock() },
  } satisfies Partial<ConsoleParts>;
}

/** Where people and devices reach this installation. */
function addressesOf(
  config: ConsoleConfig,
  { mqttUrl = null, pushUrl = null, tls }: Partial<ConsoleStart>,
): Pick<ConsoleParts, 'publicUrl' | 'readersUrls' | 'handhelds'> {
  return {
    publicUrl: config.CONSOLE_URL,
    readersUrls: {
      mqtt: config.READERS_MQTT_URL ?? mqttUrl,
      push: config.READERS_HTTP_URL?.replace(/\/$/, '') ?? pushUrl,
    },
    handhelds: {
      url: config.HANDHELD_URL,
      scheme: tls === null ? 'http' : 'https',
      port: config.HANDHELD_PORT,
    },
  };
}

function startPeople(url: string, lifecycle: Lifecycle): Promise<PeopleDoor> {
  return lifecycle.start(
    'people',
    () => openPeopleDoor(url, { max: PEOPLE_CONNECTIONS, applicationName: APPLICATION }),
    (started) => started.end(),
  );
}

/** Starts the cache of sessions, and notes when each is used. */
async function startSessions(
  url: string,
  people: PeopleDoor,
  idleSeconds: number,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
) {
  const { cache: sessions } = await lifecycle.start(
    'sessions',
    () =>
      startCredentials(
        url,
        lookUpTogether((digests) => findSessions(people, digests, idleSeconds)),
        log,
      ),
    (started) => started.stop(),
  );
  const { usage } = await lifecycle.start(
    'use of sessions',
    () =>
      startCredentialUsage(
        (uses) =>
          noteSessionUses(
            people,
            uses.map(({ id, secondsAgo }) => ({ id: Number(id), secondsAgo })),
          ),
        { log, what: 'sessions' },
      ),
    (started) => started.stop(),
  );
  return { sessions, usage };
}

/** Starts trials that must not delay requests, and listens for reads of readers. */
async function startWatching(
  config: ConsoleConfig,
  serving: Serving,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
) {
  const hearing = await lifecycle.start(
    'hearing',
    async () => new Hearing(config.DATABASE_URL, { log, stopping: lifecycle.stopping }),
    (started) => started.stop(),
  );
  const trials = new Trials(config.DATABASE_URL, {
    ...{ applicationName: APPLICATION, log, stopping: lifecycle.stopping },
  });
  return { insight: serving.insight, hearing, trials, proposals: new Proposals(serving.insight, trials) };
}

/** Other processes that cache keys are notified of revocations. */
const KEYS = {
  changing: async <Result>(change: () => Promise<Result>): Promise<Result> => {
    const result = await change();
    await heardEverywhere();
    return result;
  },
};

function timeRulesOf({ LATENESS_DAYS, SCAN_RETENTION_DAYS }: ConsoleConfig): TimeRules {
  return { lateness: LATENESS_DAYS * MICROS_PER_DAY, retention: SCAN_RETENTION_DAYS * MICROS_PER_DAY };
}

type OidcConfig = Configuration<typeof OIDC_SETTINGS> & { CONSOLE_URL: string | null };

/** Null without OIDC_ISSUER, and then the library is not loaded. Nothing is asked of the provider yet. */
async function providerOf(
  config: OidcConfig,
  isSecure: boolean,
): Promise<{ provider: Provider; errands: ErrandCookie } | null> {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    CONSOLE_URL,
  } = config;
  if (issuer === null || clientId === null || clientSecret === null || CONSOLE_URL === null) {
    return null;
  }
  const { Provider: Started } = await import('./oidc/provider.ts');
  const provider = new Started({
    ...{ issuer, clientId, clientSecret },
    callbackUrl: `${CONSOLE_URL}${CALLBACK}`,
    scopes: config.OIDC_SCOPES,
    roleClaim: config.OIDC_ROLE_CLAIM,
    roles: config.OIDC_ROLES,
    demands: { acr: config.OIDC_ACR_VALUES, amr: config.OIDC_AMR_VALUES },
  });
  return { provider, errands: new ErrandCookie(clientSecret, isSecure) };
}

/** Runs it as a process of its own. */
export function runConsole(): Promise<void> {
  return runProcess(() => {
    const config = readConsoleConfig(process.env);
    const log = createLog('console', config.LOG_LEVEL);
    return {
      log,
      boot: (lifecycle) => startConsole(config, log, lifecycle),
      notice: config.SHUTDOWN_DELAY_MS,
    };
  });
}
