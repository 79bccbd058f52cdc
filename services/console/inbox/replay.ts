import { conflict, notFound } from '../../../base/errors.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { setDismissedAll } from '../../../domain/administration/rejected/dismiss.ts';
import { idsOfKept } from '../../../domain/administration/rejected/kept-page.ts';
import { NO_READS, REPLAYED_READS } from '../../../domain/messages/replay.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { ONE_REJECTED } from './one-rejected.ts';
import { startReplaying } from './replaying.ts';
import {
  DISMISSED_MANY,
  dismissManyBody,
  REPLAYED,
  REPLAYED_MANY,
  replayBody,
  replayManyBody,
} from './schema.ts';

/** A part of many is over within seconds, so that progress shows, and an interruption loses nothing. */
const REPLAYED_AT_ONCE = { messages: 50, ms: 2_000 };
const DISMISSED_AT_ONCE = 500;

const one = memberRoute({
  ...{ method: 'POST', path: '/console/v1/rejected/{rejected_id}/replay', operationId: 'replayRejected' },
  summary: 'Read a message once more, as its reader is registered now, or by another format',
  description:
    'Its time stays that of its reception, and what was recorded before is not recorded twice. Recorded as a whole or not at all.',
  ...{ scope: 'inbox:write', query: NO_QUERY, ...ONE_REJECTED },
  body: replayBody,
  success: found(REPLAYED, 'Whether it is kept with a new reason, and what became of its reads'),
  problems: { conflict: 'Not all of the message was kept' },
  handle: async ({ context, row, body: { format }, requestId }) => {
    const replayOne = await startReplaying(context, requestId, format);
    const result = await replayOne(row.id, { isOnlyOnce: false });
    if (result === null) {
      throw notFound('Rejected message not found');
    }
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
  ...{ scope: 'inbox:write', query: NO_QUERY, params: {} },
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
  ...{ scope: 'inbox:write', query: NO_QUERY, params: {} },
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
  reader_id?: number | undefined;
  q?: string | undefined;
  after?: number | undefined;
}

function idsOf(
  { db: { orgId }, parts }: ConsoleContext,
  { ids, reader_id: readerId, q: text, after: afterId }: Which,
  limit: number,
  state: 'open' | 'dismissed' = 'open',
): Promise<number[]> {
  return parts.insight.run(orgId, (installation) =>
    idsOfKept(installation, orgId, { state, ids, readerId, text, afterId, limit }),
  );
}

function nextAfter(ids: readonly number[], done: number): number | null {
  return done < ids.length ? (ids[done - 1] ?? null) : null;
}

export const replayRoutes = [one, many, dismiss];
