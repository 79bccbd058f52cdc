import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/subscribed-ingest.ts';

/**
 * A plain load balancer: takes its targets in turn, on connections that it keeps, and leaves out those whose /readyz
 * does not say 200. It tries nothing twice, so that a client sees every failure.
 */
export interface LoadBalancer {
  url: string;
  /** What could not be forwarded, and why. */
  failures: string[];
  add(target: string): Promise<void>;
  answeredBy(target: string): number;
  close(): Promise<void>;
}

interface Target {
  url: string;
  agent: Agent;
  isReady: boolean;
  answered: number;
}

/** Milliseconds between looks at a target's readiness. */
const CHECK_EVERY = 50;

export async function startLoadBalancer(): Promise<LoadBalancer> {
  const targets: Target[] = [];
  const failures: string[] = [];
  let turn = 0;
  let isOpen = true;

  const server = createServer((incoming, response) => {
    const ready = targets.filter(({ isReady }) => isReady);
    const target = ready[turn++ % ready.length];
    if (target === undefined) {
      failures.push(`${incoming.method} ${incoming.url}: no target is ready`);
      response.writeHead(503).end();
    } else {
      forward(incoming, response, target, failures);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const check = async (target: Target) => {
    while (isOpen) {
      const status = await fetch(`${target.url}/readyz`, { headers: { Connection: 'close' } }).then(
        (answer) => answer.status,
        () => null,
      );
      target.isReady = status === 200;
      if (status === null) {
        // Its process has ended; another one has another address.
        target.agent.destroy();
        return;
      }
      await pause(CHECK_EVERY);
    }
  };
  const checks: Promise<void>[] = [];
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    add: async (url) => {
      const target = { url, agent: new Agent({ keepAlive: true }), isReady: false, answered: 0 };
      targets.push(target);
      checks.push(check(target));
      await until(() => target.isReady);
    },
    answeredBy: (url) => targets.find((target) => target.url === url)?.answered ?? 0,
    close: async () => {
      isOpen = false;
      await Promise.all(checks);
      server.close();
      server.closeAllConnections();
      for (const { agent } of targets) {
        agent.destroy();
      }
    },
  };
}

function forward(incoming: IncomingMessage, response: ServerResponse, target: Target, failures: string[]) {
  const fail = (error: Error) => {
    failures.push(`${incoming.method} ${incoming.url}: ${error.message}`);
    response.headersSent ? response.destroy() : response.writeHead(502).end();
  };
  const { connection: _, ...headers } = incoming.headers;
  const options = { method: incoming.method ?? 'GET', headers, agent: target.agent };
  const outgoing = request(target.url + incoming.url, options, (answer) => {
    const { connection: _, 'keep-alive': __, ...kept } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, kept);
    answer.on('error', fail);
    answer.on('end', () => {
      target.answered += 1;
    });
    answer.pipe(response);
  });
  outgoing.on('error', fail);
  incoming.pipe(outgoing);
}
