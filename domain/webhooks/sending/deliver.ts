import type { KeyObject } from 'node:crypto';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { AppError, messageOf } from '../../../base/errors.ts';
import { type Signed, signatureOf } from '../secrets/signing-secret.ts';
import { TargetRefused } from '../targets/checked-lookup.ts';
import { judgeAddress } from '../targets/judge-address.ts';
import { faultOfAddress, hostOf } from '../targets/target-url.ts';
import type { Agents } from './agents.ts';
import { readRetryAfter } from './retry-ladder.ts';

/** See `agents.ts`. */
const http = process.getBuiltinModule('node:http');

interface Answer {
  status: number;
  retryAfter: string | undefined;
  /** The first {@link KEPT} bytes of the body. */
  start: Buffer;
  /** It had more than {@link MOST} bytes. */
  isEndless: boolean;
}

interface Posting {
  orgId: number;
  headers: OutgoingHttpHeaders;
  body: string;
  /** Aborts the request; the receiver may have acted on it. */
  signal?: AbortSignal;
}

/** Milliseconds for the body after the status, which alone decides. */
const BODY_WITHIN = 1_000;

/** Interim answers (status 1xx) that are read. Each costs processor time, and a receiver could send them without end. */
const INTERIM = 20;

/**
 * Bytes of an answer that are read, whatever they are: a receiver can also send blank lines or spaces without end, which the
 * parser skips. A whole answer leaves a connection that can be used again.
 */
const MOST = 32_768;

/** Bytes of the body that are kept. */
const KEPT = 1_024;

/** `gone`: the receiver wants no more (410). */
export type Outcome = 'delivered' | 'failed' | 'refused' | 'gone';

export interface Attempt {
  outcome: Outcome;
  eventId: string;
  /** Null without an answer; then `error` says why. */
  status: number | null;
  error: string | null;
  milliseconds: number;
  /** The first KiB of the answer. */
  answer: string | null;
  /** `Retry-After` of the receiver, in seconds. */
  retryAfter: number | null;
  /** The answer was cut off because it was too long. */
  isEndless: boolean;
  /** Nothing can have arrived: there was no connection. */
  isUnsent: boolean;
}

/** An attempt of a test, as the API and the command line show it. */
export function shownAttempt({ outcome, eventId, status, error, milliseconds, answer }: Attempt) {
  return { delivered: outcome === 'delivered', event_id: eventId, status, error, milliseconds, answer };
}

export interface Delivery {
  orgId: number;
  url: string;
  /** The newest first. */
  secrets: readonly KeyObject[];
  id: string;
  /** JSON. */
  body: string;
  /** A document of EPCIS, not an event of the feed. */
  isEpcis?: boolean;
}

const CLOUD_EVENT = { 'content-type': 'application/cloudevents+json; charset=utf-8' };

const EPCIS_HEADERS = {
  'content-type': 'application/json',
  'GS1-EPCIS-Version': '2.0.0',
  'GS1-CBV-Version': '2.0.0',
};

/** Sends one event, signed (Standard Webhooks). Never throws: a fault is part of the attempt. */
export async function deliver(
  agents: Agents,
  { orgId, url, secrets, id, body, isEpcis = false }: Delivery,
  { signal, now = Date.now }: { signal?: AbortSignal; now?: () => number } = {},
): Promise<Attempt> {
  const signed: Signed = { id, timestamp: Math.floor(now() / 1_000), body };
  const signature = signatureOf(secrets, signed);
  const began = performance.now();
  const attempt = (rest: Omit<Attempt, 'eventId' | 'milliseconds'>): Attempt => ({
    eventId: id,
    milliseconds: Math.round(performance.now() - began),
    ...rest,
  });
  try {
    const { status, start, retryAfter, isEndless } = await post(agents, url, {
      orgId,
      headers: {
        ...(isEpcis ? { ...EPCIS_HEADERS, 'GS1-Signature': signature } : CLOUD_EVENT),
        'user-agent': 'tagtrail',
        'webhook-id': id,
        'webhook-timestamp': String(signed.timestamp),
        'webhook-signature': signature,
      },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
    return attempt({
      outcome: outcomeOf(status),
      status,
      error: null,
      answer: keptText(start.toString('utf8')),
      retryAfter: readRetryAfter(retryAfter, now()),
      isEndless,
      isUnsent: false,
    });
  } catch (error) {
    return attempt({
      outcome: error instanceof TargetRefused ? 'refused' : 'failed',
      status: null,
      error: reasonOf(error),
      answer: null,
      retryAfter: null,
      isEndless: false,
      isUnsent:
        error instanceof TargetRefused ||
        NEVER_CONNECTED.includes(String((error as NodeJS.ErrnoException).code)),
    });
  }
}

/** An established connection that ends has other codes. */
const NEVER_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) {
    return 'delivered';
  }
  return status === 410 ? 'gone' : 'failed';
}

/** Characters kept of a fault. */
const REASON = 300;

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const message = messageOf(error);
  const said =
    error instanceof AppError || code === undefined || message.includes(code)
      ? message
      : `${message} (${code})`;
  return keptText(said).slice(0, REASON);
}

/** The database holds no U+0000. */
function keptText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD');
}

/**
 * Sends one POST request. Redirects are answers like any other.
 *
 * @throws TargetRefused if the URL leads to a forbidden address; AppError `timed_out`; Error after too many interim answers,
 * or too many bytes without a status; the connection's error.
 */
async function post(agents: Agents, target: string, posting: Posting): Promise<Answer> {
  const url = new URL(target);
  const host = hostOf(url);
  const fault =
    isIP(host) === 0 ? null : faultOfAddress(host, url.protocol, judgeAddress(host, agents.targets.networks));
  if (fault !== null) {
    throw new TargetRefused(fault);
  }
  const until = performance.now() + agents.answerWithin;
  try {
    return await exchange(agents, url, posting, until);
  } catch (error) {
    if (!(error instanceof ConnectionWasEnded)) {
      throw error;
    }
    // On a kept-alive connection that the receiver was just closing.
    return await exchange(agents, url, posting, until).catch((again: unknown) => {
      // Without the error code: the first request may have arrived, even if this one did not.
      throw again instanceof AppError ? again : new Error(messageOf(again), { cause: again });
    });
  }
}

class ConnectionWasEnded extends Error {}

function exchange(
  agents: Agents,
  url: URL,
  { orgId, headers, body, signal }: Posting,
  until: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.request : http.request;
    const request = send(url, {
      method: 'POST',
      ...agents.of(url.protocol, orgId),
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      ...(signal === undefined ? {} : { signal }),
    });
    const timer = setTimeout(
      () => request.destroy(new AppError('timed_out', `No answer within ${agents.answerWithin / 1_000} s`)),
      until - performance.now(),
    );
    request.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new ConnectionWasEnded(error.message, { cause: error }) : error);
    });
    boundInterim(request);
    let endEarly = () => {
      request.destroy(new Error(`More than ${MOST / 1_024} KiB before the answer's body`));
    };
    boundBytes(request, () => endEarly());
    request.on('upgrade', (response: IncomingMessage) => {
      clearTimeout(timer);
      request.destroy();
      resolve(answerOf(response, [], false));
    });
    request.on('response', (response) => {
      clearTimeout(timer);
      const chunks: Buffer[] = [];
      const finish = (isEndless: boolean) => {
        clearTimeout(bodyTimer);
        // A connection with an unread rest cannot be reused.
        if (!response.complete) {
          request.destroy();
        }
        resolve(answerOf(response, chunks, isEndless));
      };
      // If the connection or the time ends before the body, the answer still counts.
      const whole = () => finish(false);
      const bodyTimer = setTimeout(whole, Math.max(0, Math.min(BODY_WITHIN, until - performance.now())));
      endEarly = () => finish(!response.complete);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', whole);
      response.on('error', whole);
      response.on('close', whole);
    });
    request.end(body);
  });
}

function boundInterim(request: ClientRequest): void {
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > INTERIM) {
      request.destroy(new Error(`More than ${INTERIM} interim answers (status 1xx)`));
    }
  });
}

function boundBytes(request: ClientRequest, onMore: () => void): void {
  request.on('socket', (socket) => {
    let left = MOST;
    const count = ({ length }: Buffer) => {
      left -= length;
      if (left < 0) {
        onMore();
      }
    };
    socket.on('data', count);
    request.on('close', () => socket.off('data', count));
  });
}

function answerOf(
  { statusCode = 0, headers }: IncomingMessage,
  chunks: Buffer[],
  isEndless: boolean,
): Answer {
  return {
    status: statusCode,
    retryAfter: headers['retry-after'],
    start: Buffer.concat(chunks).subarray(0, KEPT),
    isEndless,
  };
}
