import { setTimeout as pause } from 'node:timers/promises';
import { text } from '../../../base/checks/fields.ts';
import { notFound } from '../../../base/errors.ts';
import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { JsonText } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { type CaptureRow, findCapture, listCaptures, storeCapture } from '../../../domain/epcis/captures.ts';
import type { CheckedCapture, CheckedEvent } from '../../../domain/epcis/check-capture.ts';
import { ANY_TYPE, contentEncoding, type StreamedBody } from '../../../platform/http/body.ts';
import { integer, optionalParameter } from '../../../platform/http/parameters.ts';
import { badRequest, Problem } from '../../../platform/http/problem.ts';
import { announcedOf, BODY_LIMIT, gather } from '../../../platform/http/read-body.ts';
import { JsonBytes, type Success } from '../../../platform/http/success.ts';
import { type ApiContext, route } from '../serving/context.ts';
import { ulidInPath } from '../serving/ulid-parameter.ts';
import { EPCIS, MOST_EVENTS } from './mount.ts';

const CHECK = import.meta.resolve('../../../domain/epcis/check-capture.ts');

interface Sent {
  bytes: Uint8Array<ArrayBuffer>;
  proceeds: boolean;
}

const body: StreamedBody<Sent> = {
  type: ANY_TYPE,
  schema: { type: 'object' },
  limit: BODY_LIMIT,
  receive: async (chunks, headers) => {
    const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!MEDIA_TYPES.includes(type) || contentEncoding(headers) !== 'identity') {
      const detail = `Content-Type must be ${MEDIA_TYPES.join(' or ')}, without Content-Encoding`;
      throw new Problem('unsupported_media_type', detail);
    }
    const behaviour = String(headers['gs1-capture-error-behaviour'] ?? 'rollback').toLowerCase();
    if (behaviour !== 'rollback' && behaviour !== 'proceed') {
      throw badRequest('GS1-Capture-Error-Behaviour must be rollback or proceed');
    }
    return { bytes: await gather(chunks, announcedOf(headers)), proceeds: behaviour === 'proceed' };
  },
};

const MEDIA_TYPES = ['application/json', 'application/ld+json'];

const STORED: Success<{ id: string }> = {
  status: 202,
  description: 'It waits to be recorded',
  schema: null,
  headers: { Location: 'Path of the capture job' },
  present: ({ id }) => ({ body: { captureID: id }, headers: { Location: `${EPCIS}/capture/${id}` } }),
};

const capture = route({
  method: 'POST',
  path: `${EPCIS}/capture`,
  operationId: 'captureEpcisEvents',
  summary: 'Capture events of EPCIS',
  scope: 'tracking:write',
  isInternal: true,
  body,
  success: STORED,
  handle: async ({ context, body: { bytes, proceeds } }) => {
    const events = await checked(context, bytes, false);
    return { id: await stored(context, events, proceeds) };
  },
});

/** @throws Problem. */
async function checked(
  { inThread }: ApiContext,
  bytes: Uint8Array<ArrayBuffer>,
  isEvent: boolean,
): Promise<CheckedEvent[]> {
  const result = await inThread<CheckedCapture>({
    module: CHECK,
    name: 'checkCapture',
    argument: { bytes, isEvent, mostEvents: MOST_EVENTS },
  });
  if ('refusal' in result) {
    throw new Problem(result.isTooLarge ? 'payload_too_large' : 'bad_request', result.refusal);
  }
  return result.events;
}

/** @returns the id of its job. */
async function stored(
  { db, actor }: ApiContext,
  events: readonly CheckedEvent[],
  proceeds: boolean,
): Promise<string> {
  const id = await storeCapture(db, { apiKeyId: actor.id, proceeds, events });
  if (id === null) {
    throw new Problem(
      'rate_limited',
      'Too many captures of the organization wait to be recorded; send it again later',
      {
        headers: { 'Retry-After': '5' },
      },
    );
  }
  return id;
}

const PAGE: Success<{ jobs: object[]; next: string | null }> = {
  status: 200,
  description: 'The jobs',
  schema: null,
  headers: {},
  present: ({ jobs, next }, path) => ({
    body: jobs,
    headers: next === null ? {} : { Link: `<${path}?${next}>; rel="next"` },
  }),
};

const captures = route({
  method: 'GET',
  path: `${EPCIS}/capture`,
  operationId: 'listEpcisCaptures',
  summary: 'Capture jobs, the newest first',
  scope: 'tracking:write',
  isInternal: true,
  query: {
    parameters: {
      perPage: integer({ min: 1, max: 100 }, 30),
      nextPageToken: optionalParameter(text(26)),
    },
  },
  success: PAGE,
  handle: async ({ context: { db }, query: { perPage, nextPageToken = null } }) => {
    const rows = await listCaptures(db, { before: nextPageToken, limit: perPage + 1 });
    const jobs = rows.slice(0, perPage).map(jobOf);
    return {
      jobs,
      next: rows.length > perPage ? `perPage=${perPage}&nextPageToken=${jobs.at(-1)?.captureID}` : null,
    };
  },
});

function jobOf({ id, created_at: createdAt, finished_at: finishedAt, proceeds, errors, reads }: CaptureRow) {
  return {
    captureID: id,
    createdAt: wireTime(createdAt),
    ...(finishedAt === null ? {} : { finishedAt: wireTimeOrNull(finishedAt) }),
    running: finishedAt === null,
    success: errors === '[]',
    captureErrorBehaviour: proceeds ? 'proceed' : 'rollback',
    errors: new JsonText(errors),
    ...(reads === null ? {} : { reads: new JsonText(reads) }),
  };
}

const oneCapture = route({
  method: 'GET',
  path: `${EPCIS}/capture/{capture_id}`,
  operationId: 'getEpcisCapture',
  summary: 'A capture job',
  scope: 'tracking:write',
  isInternal: true,
  params: { capture_id: ulidInPath },
  success: {
    status: 200,
    description: 'The job',
    schema: null,
    headers: {},
    present: (job: object) => ({ body: job }),
  },
  problems: { not_found: 'Capture job not found' },
  handle: async ({ context: { db }, params: { capture_id: id } }) => {
    const row = await findCapture(db, id);
    if (row === null) {
      throw notFound('Capture job not found');
    }
    return jobOf(row);
  },
});

const CAPTURED: Success<{ id: string; event: JsonBytes | null }> = {
  status: 201,
  description: 'It is recorded',
  otherwise: { status: 202, description: 'It waits to be recorded for longer than a sender waits' },
  schema: null,
  headers: { Location: 'Path of the capture job' },
  present: ({ id, event }) => ({
    headers: { Location: `${EPCIS}/capture/${id}` },
    ...(event === null ? { status: 202, body: { captureID: id } } : { body: event }),
  }),
};

const captureOne = route({
  method: 'POST',
  path: `${EPCIS}/events`,
  operationId: 'captureEpcisEvent',
  summary: 'Capture one event of EPCIS, and wait until it is recorded',
  scope: 'tracking:write',
  isInternal: true,
  body,
  success: CAPTURED,
  problems: { conflict: 'Another event with its id is captured already' },
  handle: async ({ context, body: { bytes }, signal }) => {
    const events = await checked(context, bytes, true);
    const [event] = events;
    const id = await stored(context, events, false);
    expensiveTurns.leave();
    const job = await finished(context.db, id, signal());
    const [error] = JSON.parse(job?.errors ?? '[]');
    if (error !== undefined) {
      throw new Problem(error.status === 409 ? 'conflict' : 'bad_request', error.detail);
    }
    return { id, event: job === null || event === undefined ? null : withId(bytes, event) };
  },
});

/** Null if it takes longer than most senders wait. The job is another process's. */
async function finished(
  db: OrganizationConnection,
  id: string,
  signal: AbortSignal,
): Promise<CaptureRow | null> {
  const since = performance.now();
  for (let ms = 10; performance.now() - since < PATIENCE; ms = Math.min(2 * ms, 500)) {
    const row = await findCapture(db, id);
    if (row !== null && row.finished_at !== null) {
      return row;
    }
    await pause(ms, undefined, { signal });
  }
  return null;
}

/** Milliseconds. */
const PATIENCE = 10_000;

/** The event as it was sent, with its id. */
function withId(sent: Uint8Array, { id, hash }: Pick<CheckedEvent, 'id' | 'hash'>): JsonBytes {
  const members = sent.subarray(sent.indexOf('{'.charCodeAt(0)) + 1);
  return new JsonBytes(
    id === hash ? Buffer.concat([Buffer.from(`{"eventID":${JSON.stringify(id)},`), members]) : sent,
  );
}

export const CAPTURE_ROUTES = [capture, captures, oneCapture, captureOne];
