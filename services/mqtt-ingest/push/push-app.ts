import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { Registry as Unpublished } from 'prom-client';
import { text } from '../../../base/checks/fields.ts';
import { Invalid, invalid, invalidValue, required } from '../../../base/checks/issues.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Networks } from '../../../base/networks.ts';
import {
  faultOfTopicFilter,
  isWildcard,
  pushPath,
  topicMatches,
} from '../../../domain/administration/readers/topic.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { createHttpApp } from '../../../platform/http/app.ts';
import type { Access, Limiter, NoteRefusal } from '../../../platform/http/entrance.ts';
import { idInPath, optionalParameter } from '../../../platform/http/parameters.ts';
import { organizationMoves, Problem } from '../../../platform/http/problem.ts';
import type { LoggedRequests } from '../../../platform/http/request-log.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { found } from '../../../platform/http/success.ts';
import type { RefuseSignIn } from '../../../platform/rate-limit/sign-in-failures.ts';
import type { Registry } from '../registry/registry.ts';
import type { ReaderQuota, ReaderQuotas } from '../source/reader-quotas.ts';
import { signInAt } from '../source/sign-in.ts';
import { pushedBody } from './pushed-body.ts';
import type { PushedMessages } from './pushed-messages.ts';

export interface PushParts {
  registry: Registry;
  messages: PushedMessages;
  quotas: ReaderQuotas;
  onSignedIn(reader: RegisteredReader): void;
  onThrottled(reader: RegisteredReader): void;
  noteRefusal: NoteRefusal<PushCredential>;
  refuseSignIn: RefuseSignIn;
  trustedProxies: Networks;
  logRequests: LoggedRequests;
  log: Logger;
}

/**
 * Takes what readers and platforms push over HTTP: the same messages as over MQTT, one a request. A request without a valid login
 * costs an address its own budget and nobody else's; a body is read only after that.
 */
export function createPushApp(parts: PushParts): Koa {
  const { registry, log, logRequests, trustedProxies, noteRefusal, refuseSignIn } = parts;
  return createHttpApp<Pushing, PushCredential>({
    log,
    logRequests,
    trustedProxies,
    noteRefusal,
    refuseSignIn,
    // Its requests are counted by `measurePush`: other services may share the process's registry, with these names.
    registry: new Unpublished(),
    pages: [cutSlowSenders],
    routes: [push],
    access: accessOf(registry, parts),
    limiter: limiterOf(parts),
  });
}

interface Pushing {
  reader: RegisteredReader;
  quota: ReaderQuota;
  messages: PushedMessages;
}

/** `messages_rejected` is 1 if the body could not be decoded. */
const COUNTS = [
  'reads',
  'recorded',
  'duplicates',
  'unknown',
  'unplaced',
  'rejected',
  'ignored',
  'messages_rejected',
] as const;

const push = routesOf<Pushing>()({
  method: 'POST',
  path: pushPath('{reader_id}'),
  operationId: 'pushMessage',
  summary: 'Push a message of a reader',
  scope: null,
  // ChirpStack adds what has happened, `event`; others may add more.
  query: { parameters: { topic: optionalParameter(text(512)) }, areOthersIgnored: true },
  params: { reader_id: idInPath },
  body: pushedBody,
  success: found(
    { type: 'object', properties: Object.fromEntries(COUNTS.map((name) => [name, { type: 'integer' }])) },
    'It is recorded',
  ),
  handle: async ({ context: { reader, quota, messages }, query, body, signal }) => {
    quota.charge(0, body.payload.length);
    const topic = topicOf(reader, query.topic);
    const fault = body.fault ?? (topic instanceof Invalid ? topic : null);
    if (fault !== null || topic instanceof Invalid) {
      // Counted and kept like a message of MQTT that cannot be read.
      const refusal = messageOf(fault);
      await messages.take(reader, { ...body, topic: reader.topic, refusal }, quota, signal());
      throw fault;
    }
    const counts = await messages.take(reader, { ...body, topic }, quota, signal());
    const { recorded, duplicates, unknown, unplaced, rejected, ignored, messagesRejected } = counts;
    const reads = recorded + duplicates + unknown + unplaced + rejected;
    const ofReads = { reads, recorded, duplicates, unknown, unplaced, rejected, ignored };
    return { ...ofReads, messages_rejected: messagesRejected };
  },
});

/** Invalid if it is not among the reader's. */
function topicOf(reader: RegisteredReader, given: string | undefined): string | Invalid {
  if (given === undefined && isWildcard(reader.topic)) {
    const message = `topic is required in the query: the reader has several (${reader.topic}); or register it with one topic`;
    return invalid([{ ...required('topic'), message }]);
  }
  const topic = given ?? reader.topic;
  if (isWildcard(topic) || faultOfTopicFilter(topic) !== null || !topicMatches(reader.topic, topic)) {
    return invalid([
      invalidValue('topic', `must be a topic of the reader, whose topics are ${reader.topic}`),
    ]);
  }
  return topic;
}

const CHALLENGE = {
  headers: { 'WWW-Authenticate': 'Basic realm="tagtrail", charset="UTF-8", Bearer realm="tagtrail"' },
};

export interface PushCredential {
  readerId: number;
  /** Null if only a password is given, whose reader the path names. */
  username: string | null;
  password: Buffer;
}

function accessOf(
  registry: Registry,
  { messages, onSignedIn, quotas }: PushParts,
): Access<Pushing, PushCredential> {
  const signIn = signInAt(registry);
  return {
    credentialOf,
    authenticate: async ({ readerId, username, password }) => {
      // A reader registered just now may not be in memory; its name follows from its id.
      const name = username ?? registry.byId(readerId)?.username ?? `reader-${readerId}`;
      const reader = await signIn(name, password).catch(() => {
        throw new Problem('unavailable', 'Logins cannot be checked right now', {
          headers: { 'Retry-After': '5' },
        });
      });
      if (reader === 'leaving') {
        throw organizationMoves({});
      }
      if (reader === null) {
        throw unauthorized('Wrong user name or password, or no such reader');
      }
      if (reader.readerId !== readerId) {
        throw new WrongAddress(reader);
      }
      onSignedIn(reader);
      const quota = quotas.connect(reader.username, reader.orgId);
      quota.connections -= 1;
      return { reader, quota, messages };
    },
    authorize: () => {},
    callerOf: ({ reader: { orgId, readerId } }) => ({ orgId, readerId }),
  };
}

/** @throws Problem `unauthorized`. */
function credentialOf({ url = '', headers: { authorization } }: IncomingMessage): PushCredential {
  const readerId = Number(/^\/readers\/v1\/(\d{1,10})(?:\?|$)/.exec(url)?.[1] ?? 0);
  if (authorization === undefined) {
    throw unauthorized('Missing authorization header');
  }
  const [, scheme = '', value = ''] = /^(Basic|Bearer) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') {
    return { readerId, username: null, password: Buffer.from(value) };
  }
  const login = Buffer.from(value, 'base64');
  const colon = login.indexOf(':');
  if (scheme === '' || colon === -1) {
    throw unauthorized('Invalid authorization header format');
  }
  return { readerId, username: login.toString('utf8', 0, colon), password: login.subarray(colon + 1) };
}

function unauthorized(detail: string): Problem {
  return new Problem('unauthorized', detail, CHALLENGE);
}

/** The login is right. */
export class WrongAddress extends Problem {
  constructor({ readerId }: RegisteredReader) {
    super('unauthorized', `This login belongs to another reader: push to ${pushPath(readerId)}`, CHALLENGE);
  }
}

/** A sender over its rate is told when to return, instead of being held as an MQTT connection is. */
function limiterOf({ onThrottled }: PushParts): Limiter<Pushing> {
  return {
    idle: () => ({}),
    take: async ({ reader, quota }) => {
      const { debt } = quota;
      if (debt > 0) {
        quota.refused += 1;
        onThrottled(reader);
        const seconds = Math.ceil(debt / 1_000);
        throw new Problem('rate_limited', `Retry after ${seconds} seconds; the reader sends too much`, {
          headers: { 'Retry-After': String(seconds) },
          caller: { orgId: reader.orgId, readerId: reader.readerId },
        });
      }
      quota.charge(1, 0);
      return {};
    },
    takeMore: async () => ({}),
  };
}

/** Ends a connection that sends nothing for {@link SILENCE_MS} while it is read. */
const cutSlowSenders: Middleware = ({ req, res }, next) => {
  const { socket } = req;
  socket.setTimeout(SILENCE_MS);
  res.on('timeout', () => {
    const isRead = req.readableFlowing !== null;
    isRead ? socket.destroy() : socket.setTimeout(SILENCE_MS);
  });
  req.once('end', () => socket.setTimeout(0));
  return next();
};

const SILENCE_MS = 10_000;
