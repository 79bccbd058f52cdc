import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import { type Explanation, explain, NotSeenYet } from '../../../domain/tracking/why/explain.ts';
import { type Names, namesIn } from '../../../domain/tracking/why/names.ts';
import { timeBound } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { locationsNamed, type References } from '../serving/names.ts';
import { REFERENCE_OR_NULL, type Reference } from '../serving/reference.ts';
import {
  FLAG_SCHEMA,
  listOf,
  NUMBER_OR_NULL,
  objectOf,
  TAG_TYPE_SCHEMA,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';
import { OF_ASSET } from '../stays/routes.ts';

const SCAN: JsonSchema = objectOf({
  by: { type: 'string', enum: ['reader', 'handheld'] },
  device: nullableSchema(objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA })),
  antenna: { type: ['integer', 'null'] },
  tag: objectOf({ tag_type: TAG_TYPE_SCHEMA, value: TEXT_SCHEMA }),
  rssi: NUMBER_OR_NULL,
  observed_at: TIME_SCHEMA,
  received_at: TIME_SCHEMA,
});

const SCAN_OR_NULL = nullableSchema(SCAN);

/** `stay` is null if there is none at that time: then `first_seen` says when the asset was first seen, null for never. */
const WHY: JsonSchema = objectOf({
  first_seen: nullableSchema(TIME_SCHEMA),
  stay: nullableSchema(
    objectOf({ location: REFERENCE_OR_NULL, from: TIME_SCHEMA, to: nullableSchema(TIME_SCHEMA) }),
  ),
  decided_by: SCAN_OR_NULL,
  late_seconds: { type: ['integer', 'null'] },
  rule: {
    type: ['string', 'null'],
    enum: ['person', 'smoothing_off', 'no_rival', 'long_enough', 'stronger', null],
  },
  rivals: {
    type: ['array', 'null'],
    items: objectOf({
      location: REFERENCE_OR_NULL,
      at: TIME_SCHEMA,
      scan: SCAN_OR_NULL,
      rssi: NUMBER_OR_NULL,
      lost_by_db: NUMBER_OR_NULL,
      tie_broken_by: { type: ['string', 'null'], enum: ['person', 'strength', 'location', 'source', null] },
    }),
  },
  reads: {
    type: ['array', 'null'],
    items: objectOf({
      location: REFERENCE_OR_NULL,
      at: TIME_SCHEMA,
      rssi: NUMBER_OR_NULL,
      is_by_person: FLAG_SCHEMA,
    }),
  },
  said_before: listOf(objectOf({ location: REFERENCE_OR_NULL, until: TIME_SCHEMA })),
});

const WHY_QUERY = { parameters: { at: timeBound } } as const satisfies Query;

/** What the locations in an explanation are called now, by id; deleted ones too. */
function locationNames(
  db: OrganizationConnection,
  { stay, rivals, around, saidBefore }: Explanation,
): Promise<References> {
  return locationsNamed(db, [
    stay.locationId,
    ...(rivals ?? []).map(({ scan }) => scan.locationId),
    ...(around ?? []).map(({ locationId }) => locationId),
    ...saidBefore.flatMap(({ locationId }) => locationId ?? []),
  ]);
}

const why = memberRoute({
  ...{ method: 'GET', path: '/console/v1/assets/{asset_id}/why', operationId: 'explainStay' },
  summary: 'Why an asset is where it is, or was at a time',
  scope: 'tracking:read',
  query: WHY_QUERY,
  ...OF_ASSET,
  success: found(WHY, 'The reason'),
  handle: async ({ context: { db, parts }, query: { at }, row: assetId, signal }) => {
    const { orgId } = db;
    const instant = at === undefined ? null : firstAfter(at) - 1;
    await requirePast(db, instant === null ? {} : { at: instant });
    return parts.insight.run(
      orgId,
      async (installation) => {
        const explanation = await inSnapshot(installation, (client) =>
          explain(client, { orgId, assetId }, instant),
        );
        if (explanation instanceof NotSeenYet) {
          return notSeenView(explanation);
        }
        const names = await namesIn(installation, orgId, explanation);
        return whyView(explanation, names, await locationNames(db, explanation));
      },
      signal(),
    );
  },
});

export const whyRoutes = [why];

const NOTHING = {
  ...{ first_seen: null, stay: null, decided_by: null, late_seconds: null, rule: null },
  ...{ rivals: null, reads: null, said_before: [] },
};

function notSeenView({ firstSeen }: NotSeenYet) {
  return { ...NOTHING, first_seen: firstSeen === null ? null : wireTimeOfMicros(firstSeen) };
}

function whyView(
  { stay, decidedBy, reason, rivals, around, saidBefore }: Explanation,
  names: Names,
  locations: ReadonlyMap<number, Reference>,
) {
  const nameOf = (id: number | null) => (id === null ? null : (locations.get(id) ?? null));
  const scanOf = (scan: DecidingScan | null | undefined, at: Micros) =>
    scan === null || scan === undefined ? null : scanView(scan, at, names);
  return {
    ...NOTHING,
    stay: {
      location: nameOf(stay.locationId),
      from: wireTimeOfMicros(stay.from),
      to: stay.to === null ? null : wireTimeOfMicros(stay.to),
    },
    decided_by: scanOf(decidedBy, stay.from),
    late_seconds:
      decidedBy === null ? null : Math.floor((decidedBy.receivedAt - stay.from) / MICROS_PER_SECOND),
    rule: reason,
    rivals:
      rivals?.map(({ scan, lostByDb, tieBrokenBy }) => ({
        location: nameOf(scan.locationId),
        at: wireTimeOfMicros(scan.observedAt),
        scan: scanOf(scan.scan, scan.observedAt),
        rssi: scan.rssi,
        lost_by_db: lostByDb,
        tie_broken_by: tieBrokenBy,
      })) ?? null,
    reads:
      around?.map(({ locationId, observedAt, rssi, isByPerson }) => ({
        location: nameOf(locationId),
        at: wireTimeOfMicros(observedAt),
        rssi,
        is_by_person: isByPerson,
      })) ?? null,
    said_before: saidBefore.map(({ locationId, until }) => ({
      location: nameOf(locationId),
      until: wireTimeOfMicros(until),
    })),
  };
}

function scanView(
  { source, tagType, tagValue, rssi, receivedAt }: DecidingScan,
  observedAt: Micros,
  { readers, handhelds }: Names,
) {
  const [id, name] =
    source.kind === 'reader'
      ? [source.readerId, readers.get(source.readerId)]
      : [source.handheldId, handhelds.get(source.handheldId)];
  return {
    by: source.kind,
    device: name === undefined ? null : { id, name },
    antenna: source.kind === 'reader' ? source.antenna : null,
    tag: { tag_type: tagType, value: tagValue },
    rssi,
    observed_at: wireTimeOfMicros(observedAt),
    received_at: wireTimeOfMicros(receivedAt),
  };
}
