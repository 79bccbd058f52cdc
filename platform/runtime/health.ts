import type { RequestListener } from 'node:http';
import { Gauge, type Registry } from 'prom-client';
import { messageOf } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';

/** Rejects with the reason if a dependency is missing. */
export type Check = () => Promise<unknown>;

export interface HealthOptions {
  registry: Registry;
  checks: Readonly<Record<string, Check>>;
  /** Shown and measured like the others; a process that fails one still serves what it can. */
  notices?: Readonly<Record<string, Check>>;
  /** Aborts when shutdown is announced: not ready any more, but still working. */
  stopping: AbortSignal;
}

/** `said` is `ok` or the reason. */
export interface CheckOutcome {
  name: string;
  isUp: boolean;
  said: string;
}

export interface HealthAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** Answers `/healthz` (alive), `/readyz` (able to work) and `/metrics`; null for other paths. */
export type Health = (path: string) => Promise<HealthAnswer | null>;

/** Milliseconds after which a check counts as failed. */
export const CHECK_MS = 2_000;

export function createHealth({ registry, checks, notices = {}, stopping }: HealthOptions): Health {
  const all = Object.entries({ ...checks, ...notices });
  const run = () => Promise.all(all.map(([name, check]) => outcomeOf(name, check)));
  measureChecks(registry, run);
  measureBuild(registry);
  return async (path) => {
    switch (path) {
      case '/healthz':
        return json(200, { status: 'alive' });
      case '/readyz':
        return stopping.aborted
          ? json(503, { status: 'stopping', checks: {} })
          : readiness(await run(), notices);
      case '/metrics':
        return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
      default:
        return null;
    }
  };
}

function readiness(outcomes: readonly CheckOutcome[], notices: object): HealthAnswer {
  const isReady = outcomes.every(({ name, isUp }) => isUp || Object.hasOwn(notices, name));
  const checks = Object.fromEntries(outcomes.map(({ name, said }) => [name, said]));
  return json(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', checks });
}

async function outcomeOf(name: string, check: Check): Promise<CheckOutcome> {
  const late = Promise.withResolvers<CheckOutcome>();
  const timer = setTimeout(
    () => late.resolve({ name, isUp: false, said: `no answer within ${CHECK_MS} ms` }),
    CHECK_MS,
  );
  try {
    return await Promise.race([check().then(() => ({ name, isUp: true, said: 'ok' })), late.promise]);
  } catch (error) {
    return { name, isUp: false, said: messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

function json(status: number, body: object): HealthAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

export function healthListener(health: Health): RequestListener {
  return async (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const answer = isRead ? await health((request.url ?? '').replace(/\?.*/s, '')) : null;
    if (answer === null) {
      response.writeHead(isRead ? 404 : 405, isRead ? {} : { Allow: 'GET, HEAD' }).end();
    } else {
      response.writeHead(answer.status, { 'Content-Type': answer.contentType }).end(answer.body);
    }
  };
}

/** Exports the outcome of `/readyz` at every scrape, so that alerts know which dependency is missing. */
function measureChecks(
  registry: Registry,
  run: () => Promise<readonly { name: string; isUp: boolean }[]>,
): void {
  new Gauge({
    name: 'tagtrail_check_up',
    help: 'Whether a need of this process is met (a database that takes changes, broker, clock): 1 or 0.',
    labelNames: ['check'] as const,
    registers: [registry],
    async collect() {
      for (const { name, isUp } of await run()) {
        this.set({ check: name }, isUp ? 1 : 0);
      }
    },
  });
}

function measureBuild(registry: Registry): void {
  new Gauge({
    name: 'tagtrail_build_info',
    help: 'Always 1; its labels say which version of tagtrail this process is, and on which Node.js it runs.',
    labelNames: ['version', 'node'] as const,
    registers: [registry],
  }).set({ version: VERSION, node: process.versions.node }, 1);
}
