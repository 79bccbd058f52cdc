import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { expensiveTurns } from '../../base/expensive-turns.ts';
import { GOOD_FOR_MS } from '../../base/heard-everywhere.ts';
import { writeJson } from '../../base/json/json-text.ts';
import { type Body, checkBody, takeBody } from './body.ts';
import { BodyRoom } from './body-room.ts';
import { REFUSALS, type Refusal, ROOM, type Sender } from './body-room-bounds.ts';
import { isKnown } from './compress-answers.ts';
import { Download } from './download.ts';
import type { Entrance } from './entrance.ts';
import { EventStream } from './event-stream.ts';
import { signalOf } from './hanging-up.ts';
import { LargeAnswers } from './large-answers.ts';
import type { LargeBodies } from './large-bodies.ts';
import { StreamedList } from './lists.ts';
import { type Caller, Problem } from './problem.ts';
import { RequestBody } from './read-body.ts';
import { type Answer, deprecationHeaders, refuseAfterSunset } from './route.ts';
import { type Dispatch, routerOf } from './router.ts';
import { FileAnswer } from './stored-file.ts';
import { JsonBytes } from './success.ts';

/** Shared by the routes of an application, for HTTP/1 and HTTP/2 alike. */
export interface DispatchOptions {
  log: Logger;
  registry: Registry;
  /**
   * Worker threads for large bodies, and the module that defines the bodies for them; without it all are checked on the
   * main thread.
   */
  largeBodies?: { threads: LargeBodies; bodies: string };
  /** Milliseconds since 1970, for sunsets; the machine's clock by default. */
  now?: () => number;
}

export class Dispatching {
  readonly #options: DispatchOptions;
  readonly #room: BodyRoom;
  readonly #largeAnswers: LargeAnswers;

  constructor(options: DispatchOptions) {
    const refusals = measureBodies(options.registry, () => this.#room.bytes);
    this.#options = options;
    this.#room = new BodyRoom(ROOM, (why) => refusals.inc({ why }));
    this.#largeAnswers = new LargeAnswers(options.log);
  }

  routesOf<Context, Credential>(entrance: Entrance<Context, Credential>): Middleware {
    return routerOf(
      entrance.routes,
      dispatcher(entrance, { ...this.#options, room: this.#room, largeAnswers: this.#largeAnswers }),
    );
  }
}

interface Shared extends DispatchOptions {
  room: BodyRoom;
  largeAnswers: LargeAnswers;
}

function dispatcher<Context, Credential>(
  entrance: Entrance<Context, Credential>,
  { room, largeAnswers, largeBodies, now = Date.now }: Shared,
): Dispatch<Context> {
  const { access, limiter } = entrance;
  return async (koa, route, params) => {
    koa.state['operation'] = route.operationId;
    if (route.deprecated !== null) {
      koa.set(deprecationHeaders(route.deprecated));
      refuseAfterSunset(route.deprecated, now());
    }
    const signedInAt = performance.now();
    const context = await signIn(koa, entrance);
    const caller = access.callerOf(context);
    koa.state['caller'] = caller;
    if (limiter !== undefined) {
      koa.set(await limiter.take(context));
    }
    access.authorize(context, route);
    const body = new RequestBody(
      koa.req,
      room,
      () => senderOf(caller),
      () => signalOf(koa.res),
    );
    const exchange = {
      requestId: koa.state['requestId'],
      headers: koa.req.headers,
      path: koa.path,
      search: koa.querystring,
      params,
      signal: () => signalOf(koa.res),
      charge: async (tokens: number) => {
        if (limiter !== undefined && tokens > 0) {
          koa.set(await limiter.takeMore(context, tokens));
        }
      },
      readBody: async <T>(declared: Body<T>) => {
        const bytes = await body.read();
        if (largeBodies === undefined) {
          return takeBody(declared, checkBody(declared, bytes));
        }
        const where = { bodies: largeBodies.bodies, operationId: route.operationId };
        return largeBodies.threads.read(declared, where, bytes, caller, () => signalOf(koa.res));
      },
      streamBody: (limit: number, kept?: number) => body.stream(limit, kept),
      unfoldBody: (bytes: number) => body.unfold(bytes),
      confirm: async () => {
        if (performance.now() - signedInAt > GOOD_FOR_MS) {
          access.authorize(await signIn(koa, entrance), route);
        }
      },
    };
    const answer = await (route.body === null
      ? route.answer(exchange, context)
      : expensiveTurns.request(() => route.answer(exchange, context)).finally(() => body.leave()));
    send(koa, answer, largeAnswers);
    if (entrance.hasEtags === true && route.hasEtag) {
      tagAnswer(koa);
    }
  };
}

function send(koa: Koa.Context, { status, headers, body }: Answer, largeAnswers: LargeAnswers): void {
  koa.set(headers);
  if (body instanceof StreamedList) {
    sendStream(koa, status, largeAnswers, body);
  } else if (body instanceof EventStream || body instanceof Download) {
    body.send(koa);
  } else if (body instanceof FileAnswer) {
    sendFile(koa, largeAnswers, body);
  } else {
    sendJson(koa, status, body, headers['Content-Type']);
  }
}

/** Weak, since proxies and {@link compressAnswers} may encode it. Streams are too long to be held and compared. */
function tagAnswer(koa: Koa.Context): void {
  const { body } = koa;
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    koa.set('ETag', `W/"${hash('sha1', body, 'base64url')}"`);
    if (koa.req.headers['if-none-match'] !== undefined && isKnown(koa)) {
      koa.status = 304;
    }
  }
}

function senderOf(caller: Caller): Sender {
  return { organization: String(caller['orgId'] ?? ''), caller: JSON.stringify(caller) };
}

function sendStream(koa: Koa.Context, status: number, large: LargeAnswers, list: StreamedList): void {
  koa.status = status;
  koa.set('Content-Type', 'application/json');
  koa.body = koa.method === 'HEAD' ? Readable.from([]) : large.open(list, koa.res, koa.state['caller']);
}

function sendFile(koa: Koa.Context, large: LargeAnswers, answer: FileAnswer): void {
  koa.set(answer.headers);
  if (isKnown(koa)) {
    koa.status = 304;
    return;
  }
  const { file } = answer;
  koa.status = 200;
  koa.set('Content-Type', file.mediaType);
  koa.body = koa.method === 'HEAD' ? Readable.from([]) : large.open(file, koa.res, koa.state['caller']);
  koa.length = file.size;
}

/** @throws Problem `unauthorized`, or its replacement. */
async function signIn<Context, Credential>(
  { req, state }: Koa.Context,
  { access, refuseSignIn = (refusal) => refusal, noteRefusal }: Entrance<Context, Credential>,
): Promise<Context> {
  let credential: Credential | null = null;
  try {
    credential = access.credentialOf(req);
    return await access.authenticate(credential);
  } catch (error) {
    if (!(error instanceof Problem && error.type === 'unauthorized')) {
      throw error;
    }
    const address: string = state['address'];
    if (credential !== null) {
      noteRefusal?.(credential, error, address);
    }
    throw refuseSignIn(error, address);
  }
}

/** @returns a counter of requests whose body was not read, or not to its end. */
function measureBodies(registry: Registry, bytes: () => number): Counter<'why'> {
  new Gauge({
    name: 'tagtrail_http_bodies_bytes',
    help: 'Room taken by request bodies of more than 16 KiB, from before they are read until they are answered.',
    registers: [registry],
    collect() {
      this.set(bytes());
    },
  });
  const refusals = new Counter({
    name: 'tagtrail_http_bodies_refused_total',
    help: 'Request bodies not read to their end: crowded (too many waited), waited (no room in time), stalled (came too slowly while others waited), late (not sent in time).',
    labelNames: ['why'] as const,
    registers: [registry],
  });
  for (const why of REFUSALS satisfies readonly Refusal[]) {
    refusals.inc({ why }, 0);
  }
  return refusals;
}

export function sendJson(
  koa: Koa.Context,
  status: number,
  body: object | null,
  type: string | string[] = 'application/json',
): void {
  koa.status = status;
  if (body === null) {
    koa.body = null;
  } else {
    koa.set('Content-Type', type);
    koa.body =
      body instanceof JsonBytes ? bufferOf(body.bytes) : sendable(writeJson(body), koa.state['requestId']);
  }
}

/** The same one for an answer that several share, by which it is known to be compressed already. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * ASCII goes to the socket in one write with the headers, which saves a look-up 7 us. Anything else goes as
 * bytes: Node.js would send the headers of a text body in UTF-8, and a request id is Latin-1. So does large
 * text, for which Node.js would allocate three times its length: 34 us instead of 43 for 21 kB.
 */
function sendable(text: string, requestId: string): string | Buffer {
  if (!isAscii(text)) {
    return Buffer.from(text);
  }
  return text.length < LARGE && isAscii(requestId) ? text : Buffer.from(text, 'latin1');
}

/** Bytes that Node.js writes without allocating, at three per character. */
const LARGE = 16_384 / 3;

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
