import type { RequestListener } from 'node:http';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { PushedMessages } from '../push/pushed-messages.ts';

/** @returns the listener, with its requests counted. */
export function measurePush(
  registry: Registry,
  messages: PushedMessages,
  listener: RequestListener,
): RequestListener {
  new Gauge({
    name: 'tagtrail_push_held_messages',
    help: 'Messages pushed over HTTP that wait for room or for their commit.',
    registers: [registry],
    collect() {
      this.set(messages.waiting);
    },
  });
  const requests = new Counter({
    name: 'tagtrail_push_requests_total',
    help: 'Requests of readers that push over HTTP, by the status of the answer; 0 if they hung up before it.',
    labelNames: ['status'] as const,
    registers: [registry],
  });
  return (request, response) => {
    response.once('close', () =>
      requests.inc({ status: response.writableFinished ? response.statusCode : 0 }),
    );
    listener(request, response);
  };
}
