import { decode } from './decoding/decode.ts';
import { trimmed } from './decoding/lines.ts';
import { DocumentRun, TOO_MUCH_WORK } from './document-run.ts';
import type { Format } from './format.ts';
import type { Mapped } from './outcome.ts';
import { type Policies, withOverrides } from './policies.ts';
import { Scope } from './scope.ts';
import { allowedWork, briefWork, MAX_PAYLOAD_BYTES } from './values/limits.ts';

export type { Ignored, Item, Mapped, Rejected, TagRead } from './outcome.ts';
export type { Policies } from './policies.ts';

export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
}

/**
 * Decodes a message. Pure and total: never throws, whatever the bytes, and takes linear time and memory. A
 * reader's `policies` override the format's.
 *
 * Measured with Node 24 on one core of a small server, messages of 50 reads: csl-cs463 970,000 reads/s,
 * tagtrail 600,000, zebra-iotc 470,000 (back to back 400,000; one read a message 340,000), and 240,000 if
 * every read has a number beyond 2^53. Parsing the JSON takes about a quarter of that time; reading dates is
 * most of the rest. To repeat it: `node test/domain/formats/mapping/throughput.ts`.
 */
export function mapMessage(format: Format, message: Message, policies?: Partial<Policies>): Mapped {
  return mapWithin(allowedWork(message.payload.length), format, message, policies);
}

/** {@link mapMessage} if it is brief; null if others should not wait for it. */
export function mapBriefly(format: Format, message: Message, policies?: Partial<Policies>): Mapped | null {
  const mapped = mapWithin(briefWork(message.payload.length), format, message, policies);
  return mapped.outcome === 'rejected' && mapped.reason === TOO_MUCH_WORK ? null : mapped;
}

function mapWithin(work: number, format: Format, message: Message, policies?: Partial<Policies>): Mapped {
  const { payload } = message;
  if (payload.length > MAX_PAYLOAD_BYTES) {
    const reason = `payload of ${payload.length} bytes is over the limit of ${MAX_PAYLOAD_BYTES}`;
    return { outcome: 'rejected', reason };
  }
  const scope = new Scope(message.topic, work);
  const ignored = reasonToIgnore(format, scope, payload);
  if (ignored !== null) {
    return { outcome: 'ignored', reason: ignored };
  }
  const decoded = decode(format.decoders, payload);
  if ('fault' in decoded) {
    return { outcome: 'rejected', reason: decoded.fault };
  }
  const run = new DocumentRun(format.rules, scope, withOverrides(format.policies, policies));
  for (const document of decoded.documents) {
    const fault = run.add(document);
    if (fault !== null) {
      return { outcome: 'rejected', reason: fault };
    }
  }
  return run.result(decoded.rest);
}

/** Messages ignored as a whole before decoding: by topic, or by text such as `connected`. */
function reasonToIgnore(format: Format, scope: Scope, payload: Buffer): string | null {
  if (format.ignoredTopics.some((matches) => matches(scope.levels))) {
    return 'messages of this topic are ignored';
  }
  if (payload.length <= format.longestIgnoredText + BLANKS_AROUND) {
    const text = trimmed(payload.toString('utf8'));
    if (format.ignoredTexts.has(text)) {
      return `the text ${JSON.stringify(text)} is ignored`;
    }
  }
  return null;
}

/** Bytes of blanks tolerated around an ignored text. */
const BLANKS_AROUND = 8;
