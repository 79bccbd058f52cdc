import { isUtf8 } from 'node:buffer';
import { notFound } from '../../../base/errors.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import {
  findReaderReferences,
  type ReaderReference,
} from '../../../domain/administration/readers/reader-references.ts';
import { setDismissed } from '../../../domain/administration/rejected/dismiss.ts';
import type { KeptMessage } from '../../../domain/administration/rejected/kept-message.ts';
import { listPageOfKept } from '../../../domain/administration/rejected/kept-page.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { found, listed, noContent } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { ONE_REJECTED } from './one-rejected.ts';
import { hideBody, REJECTED, REJECTED_QUERY, REJECTED_WHOLE, readerView } from './schema.ts';

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/rejected', operationId: 'listRejected' },
  summary: 'Messages of readers that could not be recorded, whole or in part, newest first',
  ...{ scope: 'inbox:read', query: REJECTED_QUERY },
  success: listed(REJECTED, 'A page of messages, without their payloads'),
  handle: async ({ context: { db, parts }, query, signal }) => {
    const { reader_id: readerId, q: text, after_id: afterId, ...paging } = query;
    const [page, readers] = await parts.insight.run(
      db.orgId,
      async (installation) => {
        const filters = { ...paging, readerId, text, afterId };
        const kept = await listPageOfKept(installation, db.orgId, filters);
        const ids = kept.rows.map((message) => message.readerId);
        return [kept, await findReaderReferences(installation, db.orgId, ids)] as const;
      },
      signal(),
    );
    return listBody(page, paging, (message) => rejectedView(message, readers));
  },
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/rejected/{rejected_id}', operationId: 'getRejected' },
  summary: 'A message with what is kept of its payload: at most 64 KiB',
  ...{ scope: 'inbox:read', ...ONE_REJECTED },
  success: found(REJECTED_WHOLE, 'The message; a payload that is no text is in base64'),
  handle: async ({ context: { db, parts }, row }) => {
    const { payload, readerId } = row;
    const isText = isUtf8(payload);
    const readers = await parts.insight.run(db.orgId, (installation) =>
      findReaderReferences(installation, db.orgId, [readerId]),
    );
    return {
      ...rejectedView(row, readers),
      reader_format: readers.get(readerId ?? 0)?.format ?? null,
      size_kept: payload.length,
      is_text: isText,
      payload: payload.toString(isText ? 'utf8' : 'base64'),
    };
  },
});

const dismiss = memberRoute({
  ...{ method: 'POST', path: '/console/v1/rejected/{rejected_id}/dismiss', operationId: 'dismissRejected' },
  summary: 'Have a message listed no more, or again',
  ...{ scope: 'inbox:write', ...ONE_REJECTED },
  body: hideBody,
  success: noContent('Done'),
  handle: async ({ context: { db, parts, session }, row, body: { undo }, requestId }) => {
    const actor = actorOfUser(session, requestId);
    const dismissed = await parts.insight.run(db.orgId, (installation) =>
      setDismissed(databaseOn(installation), actor, row.id, undo !== true),
    );
    if (dismissed === null) {
      throw notFound('Rejected message not found');
    }
  },
});

function rejectedView(message: KeptMessage, readers: ReadonlyMap<number, ReaderReference>) {
  return {
    id: message.id,
    kind: message.kind,
    reader: readerView(message.readerId, readers),
    ...{ topic: message.topic, reason: message.reason },
    received_at: wireTime(message.receivedAt),
    size: message.bytes,
    replayed_at: wireTimeOrNull(message.replayedAt),
    dismissed_at: wireTimeOrNull(message.dismissedAt),
  };
}

export const rejectedRoutes = [list, read, dismiss];
