import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { HeardTag } from '../../../domain/listening/heard.ts';
import type { HeardByAll } from '../../../domain/listening/merge-heard.ts';
import { wantReads } from '../../../domain/listening/wanted.ts';
import { chooseTag, MOST_SPELLINGS } from '../../../domain/tracking/resolve-tags.ts';
import { soughtKeys } from '../../../domain/tracking/tag-key.ts';
import type { TagType } from '../../../domain/tracking/tag-type.ts';
import { tagsLike } from '../../../domain/tracking/tags-like.ts';
import { EventStream, eventText } from '../../../platform/http/event-stream.ts';
import { enterAll } from '../../../platform/http/open-streams.ts';
import { idFilter, idInPath, integer } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { OWN_READER } from '../readers/own-reader.ts';
import { memberRoute } from '../serving/context.ts';
import {
  COUNT_SCHEMA,
  eventsOf,
  listOf,
  NUMBER_OR_NULL,
  OUTCOME_SCHEMA,
  objectOf,
  REFERENCE_OR_NULL,
  type Reference,
  TAG_TYPE_SCHEMA,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

/** Antenna 0 is all of them. `organization` is read with the session: an `EventSource` can send no header. */
const LISTEN = {
  parameters: {
    antenna: integer({ min: -32_768, max: 32_767 }, 0),
    organization: idFilter,
  },
} as const satisfies Query;

const STREAM = eventsOf({
  heard: objectOf({
    ...{ sources: COUNT_SCHEMA, messages: COUNT_SCHEMA, rejected: COUNT_SCHEMA, ignored: COUNT_SCHEMA },
    reads: COUNT_SCHEMA,
    tags: listOf(
      objectOf({
        ...{
          tag_type: TAG_TYPE_SCHEMA,
          value: TEXT_SCHEMA,
          antenna: { type: ['integer', 'string'] },
          count: COUNT_SCHEMA,
        },
        ...{ rssi: NUMBER_OR_NULL, strongest_rssi: NUMBER_OR_NULL, last_read_at: TIME_SCHEMA },
        ...{ asset: REFERENCE_OR_NULL, location: REFERENCE_OR_NULL },
      }),
    ),
    tags_left_out: COUNT_SCHEMA,
    arrivals: listOf(
      objectOf({
        ...{ at: TIME_SCHEMA, topic: TEXT_SCHEMA, size: COUNT_SCHEMA, reason: TEXT_OR_NULL },
        outcome: OUTCOME_SCHEMA,
      }),
    ),
  }),
});

const listen = memberRoute({
  ...{ method: 'GET', path: '/console/v1/readers/{reader_id}/listen', operationId: 'listenToReader' },
  summary: 'What an antenna reads, to aim it by: the last 30 seconds, twice a second',
  description:
    'Server-sent events `heard`, each whole. Tags nobody registered are among them, and what is rejected.',
  scope: 'readers:listen',
  query: LISTEN,
  params: { reader_id: idInPath },
  find: OWN_READER,
  success: STREAM,
  problems: { unavailable: 'Too many listen' },
  handle: async ({ context, row: readerId, query: { antenna }, signal, confirm }) => {
    const { db, parts, session } = context;
    const leave = enterAll(
      () => parts.open.tabs.enter(session.user_id),
      () => parts.open.listeners.enter(db.orgId),
    );
    const listened = { orgId: db.orgId, readerId, antenna };
    const hangUp = signal();
    const want = () => parts.insight.run(db.orgId, (installation) => wantReads(installation, listened));
    return new EventStream(
      () =>
        streamHeard(
          { db, signal: hangUp, confirm },
          parts.hearing.listen({ listened, signal: hangUp, want }),
        ),
      { onClose: leave },
    );
  },
});

export const listenRoutes = [listen];

/** Milliseconds after which tags are looked up again: one may have been attached meanwhile. */
const OWNERS_MS = 3_000;

interface Streaming {
  db: OrganizationDatabase;
  signal: AbortSignal;
  /** @throws Problem if the session or the membership has ended meanwhile. */
  confirm(): Promise<void>;
}

/** The reads at antennas, with the owners of their tags; it ends with the session. */
async function* streamHeard(
  { db, signal, confirm }: Streaming,
  pieces: AsyncIterable<HeardByAll>,
): AsyncGenerator<string, void> {
  let owners: ReadonlyMap<string, Owner> = new Map();
  let asked = new Set<string>();
  let askedAt = Number.NEGATIVE_INFINITY;
  let id = 0;
  try {
    for await (const heard of pieces) {
      const keys = heard.tags.map(ownerKey);
      const now = performance.now();
      if (keys.some((key) => !asked.has(key)) || (keys.length > 0 && now - askedAt > OWNERS_MS)) {
        owners = await findOwners(db, heard.tags, signal);
        asked = new Set(keys);
        askedAt = now;
      }
      await confirm();
      id += 1;
      yield eventText({ id, event: 'heard', data: heardView(heard, owners) });
    }
  } catch {
    // The answer has begun, so all that is left is to end it; the listener learns why on coming back.
  }
}

const NOBODYS: Owner = { asset: null, location: null };

function heardView(heard: HeardByAll, owners: ReadonlyMap<string, Owner>) {
  const { sources, messages, rejected, ignored, reads, tags, tagsLeftOut, arrivals } = heard;
  return {
    ...{ sources, messages, rejected, ignored, reads },
    tags: tags.map((tag) => ({
      ...{ tag_type: tag.tagType, value: tag.value, antenna: tag.antenna, count: tag.count },
      ...{ rssi: tag.rssi, strongest_rssi: tag.strongest, last_read_at: timeOf(tag.at) },
      ...(owners.get(ownerKey(tag)) ?? NOBODYS),
    })),
    tags_left_out: tagsLeftOut,
    arrivals: arrivals.map(({ at, topic, bytes, outcome, reason }) => ({
      ...{ at: timeOf(at), topic, size: bytes, outcome, reason },
    })),
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The owner of a tag: an asset or a location. */
interface Owner {
  asset: Reference | null;
  location: Reference | null;
}

interface OwnerRow {
  index: number;
  id: number;
  tag_type: TagType;
  value: string;
  asset_id: number | null;
  location_id: number | null;
  external_key: string;
  name: string;
}

/** Owners by type and value as heard: matched as reads are (docs/tracking.md). */
async function findOwners(
  db: OrganizationDatabase,
  tags: readonly HeardTag[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Owner>> {
  const { orgId } = db;
  const keys = tags.map(({ tagType, value }) => soughtKeys(tagType, value));
  const texts = (of: readonly (string | null)[]) => sql.array(of, 'text');
  const rows = await db.listing({ isBrief: true, signal }).any(sql.type(rowsOf<OwnerRow>())`
    select heard.index::integer, tag.id, tag.tag_type, tag.value, asset.id as asset_id, location.id as location_id,
      coalesce(asset.external_key, location.external_key) as external_key,
      coalesce(asset.name, location.name) as name
    from unnest(
      ${texts(tags.map(({ tagType }) => tagType))},
      ${texts(tags.map(({ value }) => value))},
      ${texts(keys.map(({ normal }) => normal))},
      ${texts(keys.map(({ spelling }) => spelling))},
      ${texts(keys.map(({ otherSpelling }) => otherSpelling))}
    ) with ordinality as heard (tag_type, value, normal, spelling, other_spelling, index)
    cross join lateral (
      select * from (${tagsLike({
        orgId: sql.fragment`${orgId}`,
        tagType: sql.fragment`heard.tag_type`,
        normal: sql.fragment`heard.normal`,
        spelling: sql.fragment`heard.spelling`,
        otherSpelling: sql.fragment`heard.other_spelling`,
      })}) alike
      order by alike.tag_type = heard.tag_type and alike.value = heard.value desc, alike.id limit ${MOST_SPELLINGS + 1}
    ) tag
    left join assets asset on asset.org_id = ${orgId} and asset.id = tag.asset_id and asset.deleted_at is null
    left join locations location on location.org_id = ${orgId} and location.id = tag.location_id
      and location.deleted_at is null
    where coalesce(asset.id, location.id) is not null`);
  const owners = new Map<string, Owner>();
  for (const [index, tag] of tags.entries()) {
    const choice = chooseTag(
      tag,
      rows.filter((row) => row.index === index + 1),
    );
    if (choice.kind === 'one') {
      const { asset_id, location_id, external_key, name } = choice.tag;
      owners.set(ownerKey(tag), {
        asset: asset_id === null ? null : { id: asset_id, external_key, name },
        location: location_id === null ? null : { id: location_id, external_key, name },
      });
    }
  }
  return owners;
}

function ownerKey({ tagType, value }: Pick<HeardTag, 'tagType' | 'value'>): string {
  return `${tagType} ${value}`;
}
