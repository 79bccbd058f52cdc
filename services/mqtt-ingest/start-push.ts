import type { Logger } from 'pino';
import { Registry as MetricRegistry } from 'prom-client';
import type { Networks } from '../../base/networks.ts';
import { credentialKey } from '../../domain/administration/credential-uses.ts';
import type { CredentialUsage } from '../../platform/access/credential-usage.ts';
import { type RefusedSignIns, startRefusedSignIns } from '../../platform/access/refused-sign-ins.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import { answerUnparsed } from '../../platform/http/unparsed.ts';
import { limitSignInFailures } from '../../platform/rate-limit/sign-in-failures.ts';
import { MACHINE_CLOCKS } from '../../platform/rate-limit/start-limiter.ts';
import { socketLimit } from '../../platform/runtime/descriptor-limit.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { listenOn } from '../../platform/runtime/listen-on.ts';
import type { ServerTls } from '../../platform/runtime/server-tls.ts';
import { measurePush } from './metrics/measures.ts';
import { PushedMessages } from './push/pushed-messages.ts';
import type { Registry } from './registry/registry.ts';
import { HeldMessages, MOST_HELD } from './source/held-messages.ts';
import { type QuotaLimits, ReaderQuotas } from './source/reader-quotas.ts';
import { readersLog, shownName } from './source/readers-log.ts';
import type { StartedIntake } from './start-intake.ts';
import { startUses } from './start-uses.ts';

export interface PushConfig {
  HOST: string;
  /** 0 picks a free one; null for none. */
  READERS_PORT: number | null;
  READER_MESSAGES_PER_SECOND: number;
  READER_READS_PER_SECOND: number;
  READER_BYTES_PER_SECOND: number;
  SIGN_IN_FAILURES_PER_MINUTE: number;
  TRUSTED_PROXIES: Networks;
  LOG_REQUESTS: LoggedRequests;
}

interface Running {
  log: Logger;
  lifecycle: Lifecycle;
  metrics: MetricRegistry;
  tls: ServerTls | null;
}

interface Parts extends Pick<StartedIntake, 'intake' | 'registry' | 'pool' | 'checks'> {
  /** Shared with the embedded broker. */
  refused?: RefusedSignIns;
  uses?: CredentialUsage;
}

/**
 * Listens for what readers push over HTTP.
 *
 * @returns the address; null if no port is configured.
 * @throws AppError if the port is taken.
 */
export async function startPush(
  { READERS_PORT: port, ...config }: PushConfig,
  parts: Parts,
  running: Running,
): Promise<string | null> {
  if (port === null) {
    return null;
  }
  const { intake, registry, pool, checks } = parts;
  const { log, lifecycle, metrics, tls } = running;
  // Loaded on demand, as brokers are.
  const { createPushApp, WrongAddress } = await import('./push/push-app.ts');
  const { refused = await startRefusedSignIns(pool, running) } = parts;
  const { uses = (await startUses(pool, running)).ofReaders } = parts;
  const told = readersLog(log, registry);
  const messages = new PushedMessages({
    intake,
    held: new HeldMessages(MOST_HELD),
    requireRecording: async () => checks['recording']?.(),
  });
  const app = createPushApp({
    registry,
    messages,
    quotas: new ReaderQuotas(quotaOf(config)),
    onSignedIn: ({ orgId, readerId }) => uses.note(credentialKey(orgId, readerId)),
    onThrottled: told.onThrottled,
    noteRefusal: ({ username, readerId }, problem, address = '') => {
      const name = username ?? registry.byId(readerId)?.username ?? '';
      told.onRefused(name, `${problem.message} (over HTTP)`);
      // Doctor would say that the password was wrong.
      if (!(problem instanceof WrongAddress)) {
        noteRefusedReader({ refused, registry }, name, address);
      }
    },
    refuseSignIn: limitSignInFailures(
      config.SIGN_IN_FAILURES_PER_MINUTE,
      MACHINE_CLOCKS.monotonic,
      // Counted by `measurePush`.
      new MetricRegistry(),
    ),
    trustedProxies: config.TRUSTED_PROXIES,
    logRequests: config.LOG_REQUESTS,
    log,
  });
  const address = { host: config.HOST, port, setting: 'READERS_PORT' };
  const { url } = await lifecycle.start(
    'push over HTTP',
    () =>
      listenOn(measurePush(metrics, messages, app.callback()), address, {
        prepare: (server) => answerUnparsed(server, () => ({})),
        mostConnections: socketLimit(MOST_CONNECTIONS, SHARE_OF_DESCRIPTORS),
        stopping: lifecycle.stopping,
        tls,
      }),
    (started) => started.close(),
  );
  log.info({ pushAddress: url }, 'Listening for readers that push over HTTP');
  return url;
}

export function quotaOf(
  config: Pick<
    PushConfig,
    'READER_MESSAGES_PER_SECOND' | 'READER_BYTES_PER_SECOND' | 'READER_READS_PER_SECOND'
  >,
): QuotaLimits {
  return {
    messagesPerSecond: config.READER_MESSAGES_PER_SECOND,
    bytesPerSecond: config.READER_BYTES_PER_SECOND,
    readsPerSecond: config.READER_READS_PER_SECOND,
  };
}

export function noteRefusedReader(
  { refused, registry }: { refused: RefusedSignIns; registry: Registry },
  name: string,
  address: string,
): void {
  refused.note({
    ...{ kind: 'reader', name: shownName(name), address },
    isKnown: registry.byUsername(name) !== undefined,
  });
}

const MOST_CONNECTIONS = 1_000;
const SHARE_OF_DESCRIPTORS = 0.05;
