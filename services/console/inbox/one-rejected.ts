import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { conflict, orNotFound } from '../../../base/errors.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { type KnownFormats, loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { setDismissedAll } from '../../../domain/administration/rejected/dismiss.ts';
import {
  findKept,
  type KeptKind,
  type KeptMessage,
  type KeptPayload,
} from '../../../domain/administration/rejected/kept-message.ts';
import { idsOfKept } from '../../../domain/administration/rejected/kept-page.ts';
import type { Policies } from '../../../domain/formats/mapping/policies.ts';
import type {
  TryingFormat,
  TryingFormats,
  tryFormat,
  tryFormats,
} from '../../../domain/formats/try-formats.ts';
import { loadReaders } from '../../../domain/messages/load-readers.ts';
import { NO_READS, REPLAYED_READS, type Replay, replay } from '../../../domain/messages/replay.ts';
import { idInPath, type Parameter, searchText } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import {
  DISMISSED_MANY,
  dismissManyBody,
  MOST_READS,
  REPLAYED,
  REPLAYED_MANY,
  replayBody,
  replayManyBody,
  TRIED_FORMAT,
  TRIED_FORMATS,
} from './schema.ts';

export type ReplayOne = (id: number, how: { isOnlyOnce: boolean }) => Promise<Replay | null>;

/**
 * Replays messages of the organization, each in a turn and a transaction of its own: others of the organization get
 * theirs between two.
 *
 * @param name of the format to read them by; undefined for their readers'.
 * @throws Invalid if there is no such format.
 */
export async function startReplaying(
  context: ConsoleContext,
  requestId: string,
  name: string | undefined,
): Promise<ReplayOne> {
  const formats = await loadFormatsOf(context);
  const format = name === undefined ? undefined : (formats.get(name) ?? noSuchFormat(formats));
  const { insight, dating } = context.parts;
  const actor = actorOfUser(context.session, requestId);
  return (id, { isOnlyOnce }) =>
    insight.run(context.db.orgId, (pool) =>
      replay({ pool, actor, formats, ...dating, onMoves: insight.onMoves }, id, { isOnlyOnce, format }),
    );
}

/** @throws Invalid naming the formats that there are. */
export function noSuchFormat(formats: KnownFormats): never {
  throw invalid([invalidValue('format', `must be one of ${[...formats.names].sort().join(', ')}`)]);
}

/** The formats that there are for an organization's readers. */
function loadFormatsOf({ db: { orgId }, parts }: ConsoleContext): Promise<KnownFormats> {
  return parts.insight.run(orgId, (installation) => loadFormats(installation, parts.builtinFormats, orgId));
}

/** The reader that sent a message, unless it was deleted. */
async function loadPoliciesOf(
  { db: { orgId }, parts }: ConsoleContext,
  { readerId }: KeptMessage,
): Promise<Partial<Policies>> {
  const [reader] =
    readerId === null
      ? []
      : await parts.insight.run(orgId, (db) =>
          loadReaders(db, parts.builtinFormats, { readerIds: [readerId] }),
        );
  return reader?.policies ?? {};
}

/** Ids are the installation's: one of another organization is as good as none. */
function findOwn({ db: { orgId }, parts }: ConsoleContext, id: number) {
  return parts.insight.run(orgId, async (installation) => {
    const message = await findKept(installation, id);
    return message?.orgId === orgId ? message : null;
  });
}

const REJECTED_FIND = {
  missing: 'Rejected message not found',
  row: ({ context, params }: { context: ConsoleContext; params: { rejected_id: number } }) =>
    findOwn(context, params.rejected_id),
} as const;

export const ONE_REJECTED = { params: { rejected_id: idInPath }, find: REJECTED_FIND } as const;

/** A part of many is over within seconds, so that progress shows, and an interruption loses nothing. */
const REPLAYED_AT_ONCE = { messages: 50, ms: 2_000 };
const DISMISSED_AT_ONCE = 500;

const one = memberRoute({
  ...{ method: 'POST', path: '/console/v1/rejected/{rejected_id}/replay', operationId: 'replayRejected' },
  summary: 'Read a message once more, as its reader is registered now, or by another format',
  description:
    'Its time stays that of its reception, and what was recorded before is not recorded twice. Recorded as a whole or not at all.',
  ...{ scope: 'inbox:write', ...ONE_REJECTED },
  body: replayBody,
  success: found(REPLAYED, 'Whether it is kept with a new reason, and what became of its reads'),
  problems: { conflict: 'Not all of the message was kept' },
  handle: async ({ context, row, body: { format }, requestId }) => {
    const replayOne = await startReplaying(context, requestId, format);
    const result = await orNotFound('Rejected message not found', replayOne(row.id, { isOnlyOnce: false }));
    const { outcome, message, reads } = result;
    if (outcome === 'cut') {
      throw conflict(`Of its ${message.bytes} bytes only the first ${row.payload.length} were kept`);
    }
    return { outcome, reason: outcome === 'rejected' ? message.reason : null, ...reads };
  },
});

const many = memberRoute({
  ...{ method: 'POST', path: '/console/v1/rejected/replay', operationId: 'replayManyRejected' },
  summary: 'Replay messages that are open, the oldest first',
  description:
    'Does a part of them; send it again with `after` as `next` says until that is null. Each message is recorded as a whole or not at all.',
  scope: 'inbox:write',
  body: replayManyBody,
  success: found(
    REPLAYED_MANY,
    'What became of these messages and their reads, and after which message to go on',
  ),
  handle: async ({ context, body: { format, ...which }, requestId, signal }) => {
    const hungUp = signal();
    const ids = await idsOf(context, which, REPLAYED_AT_ONCE.messages + 1);
    const replayOne = await startReplaying(context, requestId, format);
    const counts = { replayed: 0, rejected: 0, cut: 0, ...NO_READS };
    const until = performance.now() + REPLAYED_AT_ONCE.ms;
    let done = 0;
    for (const id of ids.slice(0, REPLAYED_AT_ONCE.messages)) {
      if (done > 0 && (hungUp.aborted || performance.now() > until)) {
        break;
      }
      const result = await replayOne(id, { isOnlyOnce: true });
      if (result !== null) {
        counts[result.outcome] += 1;
        for (const name of REPLAYED_READS) {
          counts[name] += result.reads[name];
        }
      }
      done += 1;
    }
    return { ...counts, next: nextAfter(ids, done) };
  },
});

const dismiss = memberRoute({
  ...{ method: 'POST', path: '/console/v1/rejected/dismiss', operationId: 'dismissManyRejected' },
  summary: 'Have messages that are open listed no more, or dismissed ones again',
  description: 'Does a part of them, as replaying does.',
  scope: 'inbox:write',
  body: dismissManyBody,
  success: found(DISMISSED_MANY, 'Which ones these were, and after which message to go on'),
  handle: async ({ context, body: { undo: isUndone = false, ...which }, requestId }) => {
    const { db, parts, session } = context;
    const ids = await idsOf(context, which, DISMISSED_AT_ONCE + 1, isUndone ? 'dismissed' : 'open');
    const part = ids.slice(0, DISMISSED_AT_ONCE);
    const actor = actorOfUser(session, requestId);
    const dismissed = await parts.insight.run(db.orgId, (installation) =>
      setDismissedAll(databaseOn(installation), actor, part, !isUndone),
    );
    return { ids: dismissed.map(({ id }) => id), next: nextAfter(ids, part.length) };
  },
});

interface Which {
  ids?: readonly number[] | undefined;
  kind?: KeptKind | undefined;
  reader_id?: number | undefined;
  q?: string | undefined;
  after?: number | undefined;
}

function idsOf(
  { db: { orgId }, parts }: ConsoleContext,
  { ids, kind, reader_id: readerId, q: text, after: afterId }: Which,
  limit: number,
  state: 'open' | 'dismissed' = 'open',
): Promise<number[]> {
  return parts.insight.run(orgId, (installation) =>
    idsOfKept(installation, orgId, { state, ids, kind, readerId, text, afterId, limit }),
  );
}

function nextAfter(ids: readonly number[], done: number): number | null {
  return done < ids.length ? (ids[done - 1] ?? null) : null;
}

export const replayRoutes = [one, many, dismiss];

const TRY = new URL('../../../domain/formats/try-formats.ts', import.meta.url).href;

/** Milliseconds that trying all formats may take. */
const MOST_MS = 20_000;

const PROBLEMS = { conflict: 'Not all of the message was kept' };

const tryAll = memberRoute({
  ...{ method: 'GET', path: '/console/v1/rejected/{rejected_id}/formats', operationId: 'tryFormats' },
  summary: 'What each format would make of a message, the one that reads most of it first',
  ...{ scope: 'inbox:read', ...ONE_REJECTED },
  success: found(TRIED_FORMATS, 'Every format; nothing is recorded'),
  problems: PROBLEMS,
  handle: async ({ context, row }) => {
    const message = wholeOf(row);
    const formats = await loadFormatsOf(context);
    const policies = await loadPoliciesOf(context, row);
    const argument: TryingFormats = {
      ...{ message, policies },
      sources: formats.names.flatMap((name) => formats.sourceOf(name) ?? []),
    };
    return context.inThread<ReturnType<typeof tryFormats>>({
      module: TRY,
      name: 'tryFormats',
      argument,
      most: MOST_MS,
    });
  },
});

const tryOne = memberRoute({
  ...{ method: 'GET', path: '/console/v1/rejected/{rejected_id}/formats/{format}', operationId: 'tryFormat' },
  summary: 'What a format would make of a message',
  scope: 'inbox:read',
  params: { ...ONE_REJECTED.params, format: searchText as Parameter<string> },
  find: REJECTED_FIND,
  success: found(TRIED_FORMAT, `Its first ${MOST_READS} reads; nothing is recorded`),
  problems: PROBLEMS,
  handle: async ({ context, row, params }) => {
    const message = wholeOf(row);
    const formats = await loadFormatsOf(context);
    const policies = await loadPoliciesOf(context, row);
    const argument: TryingFormat = {
      ...{ message, policies, most: MOST_READS },
      source: formats.sourceOf(params.format) ?? noSuchFormat(formats),
    };
    return triedView(
      await context.inThread<ReturnType<typeof tryFormat>>({
        module: TRY,
        name: 'tryFormat',
        argument,
        most: MOST_MS,
      }),
    );
  },
});

function wholeOf({ topic, payload, bytes }: KeptMessage & KeptPayload) {
  if (payload.length < bytes) {
    throw conflict(`Of its ${bytes} bytes only the first ${payload.length} were kept`);
  }
  return { topic, payload: new Uint8Array(payload) };
}

function triedView({ reads, ...brief }: ReturnType<typeof tryFormat>) {
  return {
    ...brief,
    reads: reads.map(({ tag_type, value, antenna, rssi, observed_at }) => ({
      ...{ tag_type, value, antenna_port: antenna, rssi, observed_at },
    })),
  };
}

export const tryingRoutes = [tryAll, tryOne];
