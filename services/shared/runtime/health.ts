import type { RequestListener } from 'node:http';
import type { Registry } from 'prom-client';
import { messageOf } from '../errors.ts';

/** Something a process cannot do its work without. Resolves if it is there, rejects with the reason if not. */
export type Check = () => Promise<unknown>;

export interface HealthOptions {
  registry: Registry;
  /** By the name of what is checked. */
  checks: Readonly<Record<string, Check>>;
  /** Aborts when the process is about to stop: it is not ready from then on, and still works. */
  stopping: AbortSignal;
}

export interface HealthAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** Answers for a path, or null if it is none of `/healthz` (alive), `/readyz` (able to work) and `/metrics`. */
export type Health = (path: string) => Promise<HealthAnswer | null>;

/** How long a check may take before the process counts as not ready, in milliseconds. */
export const CHECK_MS = 2_000;

export function createHealth({ registry, checks, stopping }: HealthOptions): Health {
  return async (path) => {
    switch (path) {
      case '/healthz':
        return json(200, { status: 'alive' });
      case '/readyz':
        return stopping.aborted ? json(503, { status: 'stopping', checks: {} }) : readiness(checks);
      case '/metrics':
        return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
      default:
        return null;
    }
  };
}

async function readiness(checks: Readonly<Record<string, Check>>): Promise<HealthAnswer> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
  );
  const isReady = results.every(([, outcome]) => outcome === 'ok');
  const body = { status: isReady ? 'ready' : 'not ready', checks: Object.fromEntries(results) };
  return json(isReady ? 200 : 503, body);
}

async function outcomeOf(check: Check): Promise<string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`no answer within ${CHECK_MS} ms`), CHECK_MS);
  try {
    return await Promise.race([check().then(() => 'ok'), late.promise]);
  } catch (error) {
    return messageOf(error);
  } finally {
    clearTimeout(timer);
  }
}

function json(status: number, body: object): HealthAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

/** Serves nothing but health, for a process that is no HTTP server otherwise. */
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
