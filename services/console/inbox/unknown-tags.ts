import { accepted } from '../../../base/checks/issues.ts';
import { notFound } from '../../../base/errors.ts';
import { fromDatabase, wireTime } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import {
  findReaderReferences,
  type ReaderReference,
} from '../../../domain/administration/readers/reader-references.ts';
import { attachUnknownTag } from '../../../domain/administration/unknown-tags/attach.ts';
import { listPageOfUnknownTags, type NamedTagRow } from '../../../domain/administration/unknown-tags/page.ts';
import { setIgnored } from '../../../domain/administration/unknown-tags/queries.ts';
import { TABLES } from '../../../domain/master-data/by-id-or-key.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import { isForbiddenInTag, TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { listBody } from '../../../platform/http/lists.ts';
import type { Parameter } from '../../../platform/http/parameters.ts';
import { answered, found, noContent } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { ATTACHED, attachBody, hideBody, readerView, UNKNOWN_TAG_QUERY, UNKNOWN_TAGS } from './schema.ts';

interface TagName {
  tagType: TagType;
  value: string;
}

/** Values of barcodes may hold tabs and line breaks. */
const tagNameInPath: Parameter<string> = {
  schema: { type: 'string' },
  isRepeatable: false,
  read: ([name = '']) => accepted(name),
};

/** `rfid:E280...`: unknown tags have no id of their own. @throws AppError `not_found`. */
function tagNamed(id: string): TagName {
  const end = id.indexOf(':');
  const value = id.slice(end + 1);
  const tagType = TAG_TYPES.find((type) => type === id.slice(0, end));
  if (tagType === undefined || isForbiddenInTag(tagType, value) || !value.isWellFormed()) {
    throw notFound('Unknown tag not found');
  }
  return { tagType, value };
}

const ONE = { unknown_tag_id: tagNameInPath };

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/unknown-tags', operationId: 'listUnknownTags' },
  summary: 'Tags that were read and belong to nothing',
  ...{ scope: 'inbox:read', query: UNKNOWN_TAG_QUERY },
  success: answered(UNKNOWN_TAGS, 'A page of tags; strength, reader and place are those of the last read'),
  handle: async ({ context, query, signal }) => {
    const { db, parts } = context;
    const { ignored: isIgnored, tag_type: tagType, reader_id: readerId, q: text, ...rest } = query;
    const { first_seen_after: after, ...paging } = rest;
    const page = await listPageOfUnknownTags(db.listing({ isBrief: true, signal: signal() }), {
      ...{ isIgnored, tagType, readerId, text, firstSeenAfter: after?.instant },
      ...paging,
    });
    const ids = page.rows.map(({ reader_id: id }) => id);
    const readers = ids.every((id) => id === null)
      ? new Map<number, ReaderReference>()
      : await parts.insight.run(db.orgId, (installation) =>
          findReaderReferences(installation, db.orgId, ids),
        );
    return {
      ...listBody(page, paging, (row) => tagView(row, readers)),
      as_of: fromDatabase(page.asOf),
    };
  },
});

const attach = memberRoute({
  ...{
    method: 'POST',
    path: '/console/v1/unknown-tags/{unknown_tag_id}/attach',
    operationId: 'attachUnknownTag',
  },
  summary: 'Attach a tag to an asset, of which its next read is one, or to a location',
  ...{ scope: 'inbox:write', params: ONE },
  body: attachBody,
  success: found(ATTACHED, 'The tag, and what it is attached to'),
  problems: {
    not_found: 'No such asset or location, or no such tag on the list',
    conflict: 'Attached already, or ambiguous',
  },
  handle: async ({ context, params, body: { to, id }, requestId }) => {
    const tag = tagNamed(params.unknown_tag_id);
    const { external_key: key, name } = await liveOwner(context, to, id);
    const actor = actorOfUser(context.session, requestId);
    const { id: tagId } = await attachUnknownTag(context.db, actor, { ...tag, to, key });
    return { tag_id: tagId, to, id, external_key: key, name };
  },
});

async function liveOwner({ db }: ConsoleContext, to: 'asset' | 'location', id: number) {
  const row = await db.maybeOne(sql.type(rowsOf<{ external_key: string; name: string }>())`
    select external_key, name from ${TABLES[to]}
    where org_id = ${db.orgId} and id = ${id} and deleted_at is null`);
  if (row === null) {
    throw notFound(to === 'asset' ? 'Asset not found' : 'Location not found');
  }
  return row;
}

const ignore = memberRoute({
  ...{
    method: 'POST',
    path: '/console/v1/unknown-tags/{unknown_tag_id}/ignore',
    operationId: 'ignoreUnknownTag',
  },
  summary: 'Have a tag listed no more, however often it is read, or again',
  ...{ scope: 'inbox:write', params: ONE },
  body: hideBody,
  success: noContent('Done'),
  problems: { not_found: 'Unknown tag not found' },
  handle: async ({ context: { db, session }, params, body: { undo }, requestId }) => {
    const { tagType, value } = tagNamed(params.unknown_tag_id);
    const which = { tagType, tagKey: tagKey(tagType, value), isIgnored: undo !== true };
    if ((await setIgnored(db, actorOfUser(session, requestId), which)) === null) {
      throw notFound('Unknown tag not found');
    }
  },
});

function tagView(row: NamedTagRow, readers: ReadonlyMap<number, ReaderReference>) {
  return {
    id: `${row.tag_type}:${row.value}`,
    ...{ tag_type: row.tag_type, value: row.value, count: row.count },
    first_seen_at: wireTime(row.first_seen),
    last_seen_at: wireTime(row.last_seen),
    is_ambiguous: row.candidates.length > 0,
    last_read: {
      reader: readerView(row.reader_id, readers),
      ...{ antenna_port: row.antenna, antenna_name: row.antenna_name, rssi: row.rssi },
      location_external_key: row.location_external_key,
      location_name: row.location_name,
    },
  };
}

export const unknownTagRoutes = [list, attach, ignore];
