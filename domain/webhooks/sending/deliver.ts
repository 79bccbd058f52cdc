import type { KeyObject } from 'node:crypto';
import { AppError, messageOf } from '../../../base/errors.ts';
import { type Signed, signatureOf } from '../secrets/signing-secret.ts';
import { TargetRefused } from '../targets/checked-lookup.ts';
import type { Agents } from './agents.ts';
import { post } from './post.ts';
import { readRetryAfter } from './retry-ladder.ts';

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
}

/** Sends one event, signed (Standard Webhooks). Never throws: a fault is part of the attempt. */
export async function deliver(
  agents: Agents,
  { orgId, url, secrets, id, body }: Delivery,
  { signal, now = Date.now }: { signal?: AbortSignal; now?: () => number } = {},
): Promise<Attempt> {
  const signed: Signed = { id, timestamp: Math.floor(now() / 1_000), body };
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
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'user-agent': 'tagtrail',
        'webhook-id': id,
        'webhook-timestamp': String(signed.timestamp),
        'webhook-signature': signatureOf(secrets, signed),
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

/** A connection of before that ends has other codes. */
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
