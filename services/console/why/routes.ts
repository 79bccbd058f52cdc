import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import type { Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import type { MetricPosition } from '../../../domain/tracking/history/metric-position.ts';
import type { Evidence } from '../../../domain/tracking/location/stated-locations.ts';
import { lateSeconds } from '../../../domain/tracking/why/as-json.ts';
import {
  type Explanation,
  explain,
  explainLatest,
  type Latest,
  NotSeenYet,
} from '../../../domain/tracking/why/explain.ts';
import { lackOf, oddsOf } from '../../../domain/tracking/why/lack.ts';
import { antennaShown, locationsIn, type Names, namesIn } from '../../../domain/tracking/why/names.ts';
import { timeBound } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { locationsNamed, type References } from '../serving/names.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  NUMBER_OR_NULL,
  objectOf,
  REFERENCE_OR_NULL,
  type Reference,
  TAG_TYPE_SCHEMA,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';
import { OF_ASSET } from '../stays/routes.ts';

const DEVICE: JsonSchema = nullableSchema(objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA }));

const SCAN: JsonSchema = objectOf({
  by: { type: 'string', enum: ['reader', 'handheld'] },
  device: DEVICE,
  antenna: { type: ['integer', 'string', 'null'] },
  tag: objectOf({ tag_type: TAG_TYPE_SCHEMA, value: TEXT_SCHEMA }),
  rssi: NUMBER_OR_NULL,
  observed_at: TIME_SCHEMA,
  received_at: TIME_SCHEMA,
});

const SCAN_OR_NULL = nullableSchema(SCAN);

const POSITION: JsonSchema = objectOf({
  plan: REFERENCE_OR_NULL,
  ...{ x: { type: 'number' }, y: { type: 'number' }, radius_m: { type: 'number' } },
});

const MEASURE = { reached: NUMBER_OR_NULL, needed: { type: 'number' } } as const;

/** How the reads around a scan decide. `odds` are how many times as likely the first of `shares` is as the second. */
const DECISION = {
  procedure: { type: 'string', enum: ['strength', 'position'] },
  /** The decided location, or the closest one; null if there is none. */
  location: REFERENCE_OR_NULL,
  is_decided: FLAG_SCHEMA,
  certainty: { type: 'number' },
  from: TIME_SCHEMA,
  to: TIME_SCHEMA,
  unit: { type: ['string', 'null'], enum: ['dB', 'reads', null] },
  /** The first in order; `heard_count` counts all. */
  heard_count: COUNT_SCHEMA,
  heard: listOf(
    objectOf({
      location: REFERENCE_OR_NULL,
      device: DEVICE,
      antenna: { type: ['integer', 'string'] },
      /** `reads` are all at the location; `reads_with_rssi` those of the antenna that have a level. */
      ...{ reads: COUNT_SCHEMA, reads_with_rssi: COUNT_SCHEMA },
      level: NUMBER_OR_NULL,
      margin: nullableSchema(objectOf(MEASURE)),
    }),
  ),
  shares: nullableSchema(listOf(objectOf({ location: REFERENCE_OR_NULL, share: { type: 'number' } }))),
  /** `needed` is for `reads` at one antenna. */
  odds: nullableSchema(objectOf({ ...MEASURE, reads: COUNT_SCHEMA })),
  position: nullableSchema(POSITION),
} as const satisfies Record<string, JsonSchema>;

const DECISION_OR_NULL = nullableSchema(objectOf(DECISION));

/** How the antennas hear it. */
const ANTENNAS = {
  /** The first in order; `lacking` is what its location still needs, in `unit`; null where another there is louder. */
  antennas: listOf(
    objectOf({
      ...{ location: REFERENCE_OR_NULL, device: DEVICE, antenna: { type: ['integer', 'string'] } },
      ...{ reads: COUNT_SCHEMA, level: NUMBER_OR_NULL, lacking: NUMBER_OR_NULL },
    }),
  ),
  antenna_count: COUNT_SCHEMA,
} as const;

/** Why nothing is decided: `here` was closest. */
const LACK: JsonSchema = objectOf({
  unit: { type: 'string', enum: ['dB', 'reads', 'odds'] },
  here: REFERENCE_OR_NULL,
  there: REFERENCE_OR_NULL,
  ...MEASURE,
});

const RULE_OR_NULL: JsonSchema = {
  type: ['string', 'null'],
  enum: ['person', 'every', 'only_here', 'strength', 'counts', 'position', null],
};

/** `location` is null if nothing is stated. */
const LATEST = {
  at: TIME_SCHEMA,
  location: REFERENCE_OR_NULL,
  rule: RULE_OR_NULL,
  decision: DECISION_OR_NULL,
  lack: nullableSchema(LACK),
} as const;

/** `location` is where the asset is; `latest` is null if it needs no proof, or was not read. */
const LEVELS = objectOf({
  location: REFERENCE_OR_NULL,
  latest: nullableSchema(
    objectOf({ ...LATEST, decision: nullableSchema(objectOf({ ...DECISION, ...ANTENNAS })) }),
  ),
});

/**
 * `stay` is null if there is none at that time; then `latest` names the locations between which the asset is undecided,
 * or `first_seen` says when it was first seen (null: never).
 */
const WHY: JsonSchema = objectOf({
  first_seen: nullableSchema(TIME_SCHEMA),
  stay: nullableSchema(
    objectOf({
      location: REFERENCE_OR_NULL,
      from: TIME_SCHEMA,
      to: nullableSchema(TIME_SCHEMA),
      position: nullableSchema(POSITION),
    }),
  ),
  decided_by: SCAN_OR_NULL,
  late_seconds: { type: ['integer', 'null'] },
  rule: RULE_OR_NULL,
  decision: DECISION_OR_NULL,
  is_too_much: FLAG_SCHEMA,
  is_as_recorded: FLAG_SCHEMA,
  latest: nullableSchema(objectOf(LATEST)),
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
  is_cut: FLAG_SCHEMA,
  said_before: listOf(objectOf({ location: REFERENCE_OR_NULL, until: TIME_SCHEMA })),
});

const WHY_QUERY = { parameters: { at: timeBound } } as const satisfies Query;

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
        return whyView(explanation, names, await locationsNamed(db, locationsIn(explanation)));
      },
      signal(),
    );
  },
});

const levels = memberRoute({
  ...{ method: 'GET', path: '/console/v1/assets/{asset_id}/levels', operationId: 'readLevels' },
  summary: 'Where an asset is, and how its last reads at all readers decide, to aim antennas by',
  scope: 'readers:listen',
  ...OF_ASSET,
  success: found(LEVELS, 'The levels'),
  handle: ({ context: { db, parts }, row: assetId, signal }) =>
    parts.insight.run(
      db.orgId,
      async (installation) => {
        const explanation = await inSnapshot(installation, (client) =>
          explainLatest(client, { orgId: db.orgId, assetId }),
        );
        const names = await namesIn(installation, db.orgId, explanation);
        const locations = await locationsNamed(db, locationsIn(explanation));
        const { stay, latest } = explanation;
        return {
          location: referenceTo(stay?.locationId ?? null, locations),
          latest: latest === null ? null : levelsView(latest, names, locations),
        };
      },
      signal(),
    ),
});

export const whyRoutes = [why, levels];

const NOTHING = {
  ...{ first_seen: null, stay: null, decided_by: null, late_seconds: null, rule: null, decision: null },
  ...{ is_too_much: false, is_as_recorded: true, latest: null },
  ...{ rivals: null, reads: null, is_cut: false, said_before: [] },
};

function notSeenView({ firstSeen }: NotSeenYet) {
  return { ...NOTHING, first_seen: firstSeen === null ? null : wireTimeOfMicros(firstSeen) };
}

function whyView(explanation: Explanation, names: Names, locations: References) {
  const { stay, decidedBy, latest, rivals, around, saidBefore } = explanation;
  const nameOf = (id: number | null) => referenceTo(id, locations);
  const scanOf = (scan: DecidingScan | null, at: Micros) =>
    scan === null ? null : scanView(scan, at, names);
  return {
    ...NOTHING,
    stay:
      stay === null
        ? null
        : {
            location: nameOf(stay.locationId),
            from: wireTimeOfMicros(stay.from),
            to: stay.to === null ? null : wireTimeOfMicros(stay.to),
            position: positionView(stay.position, locations),
          },
    decided_by: scanOf(decidedBy, stay?.from ?? 0),
    late_seconds: decidedBy === null || stay === null ? null : lateSeconds(decidedBy, stay.from),
    rule: explanation.rule,
    decision: decisionView(explanation.evidence, names, locations),
    is_too_much: explanation.isTooMuch,
    is_as_recorded: explanation.isAsRecorded,
    latest: latest === null ? null : latestView(latest, names, locations),
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
      around?.map(({ locationId, observedAt, rssi, scan }) => ({
        location: nameOf(locationId),
        at: wireTimeOfMicros(observedAt),
        rssi,
        is_by_person: scan.source.kind === 'handheld',
      })) ?? null,
    is_cut: explanation.isCut,
    said_before: saidBefore.map(({ locationId, until }) => ({
      location: nameOf(locationId),
      until: wireTimeOfMicros(until),
    })),
  };
}

function referenceTo(id: number | null, locations: References): Reference | null {
  return id === null ? null : (locations.get(id) ?? null);
}

function latestView({ at, locationId, rule, evidence }: Latest, names: Names, locations: References) {
  const lack = evidence === null ? null : lackOf(evidence);
  return {
    at: wireTimeOfMicros(at),
    location: referenceTo(locationId, locations),
    rule,
    decision: decisionView(evidence, names, locations),
    lack:
      lack === null
        ? null
        : { ...lack, here: referenceTo(lack.here, locations), there: referenceTo(lack.there, locations) },
  };
}

function levelsView(latest: Latest, names: Names, locations: References) {
  const { evidence } = latest;
  const view = latestView(latest, names, locations);
  return {
    ...view,
    decision:
      evidence === null
        ? null
        : {
            ...view.decision,
            antennas: evidence.antennas.map(({ locationId, readerId, antenna, ...figures }) => ({
              location: referenceTo(locationId, locations),
              device: deviceView(readerId, names.readers.get(readerId)),
              antenna: antennaShown(names, readerId, antenna),
              ...figures,
            })),
            antenna_count: evidence.antennaCount,
          },
  };
}

function decisionView(evidence: Evidence | null, names: Names, locations: References) {
  const { readers } = names;
  if (evidence === null) {
    return null;
  }
  const { window, proof, odds, shares, position } = evidence;
  return {
    procedure: evidence.procedure,
    location: referenceTo(evidence.locationId, locations),
    is_decided: proof !== null,
    certainty: evidence.certainty,
    from: wireTimeOfMicros(window.from),
    to: wireTimeOfMicros(window.to),
    unit: evidence.unit,
    heard_count: evidence.heard.length,
    heard: evidence.heard
      .slice(0, MOST_HEARD)
      .map(({ locationId, readerId, antenna, reads, readsWithRssi, level, margin }) => ({
        location: referenceTo(locationId, locations),
        device: deviceView(readerId, readers.get(readerId)),
        ...{ antenna: antennaShown(names, readerId, antenna), level },
        ...{ reads, reads_with_rssi: readsWithRssi },
        margin: margin === null ? null : { reached: margin.reached, needed: margin.needed },
      })),
    shares:
      shares?.map(({ locationId, share }) => ({ location: referenceTo(locationId, locations), share })) ??
      null,
    odds: odds === null ? null : oddsOf(odds),
    position: positionView(position, locations),
  };
}

/** Locations that a table shows. */
const MOST_HEARD = 20;

function positionView(position: MetricPosition | null, locations: References) {
  return position === null
    ? null
    : {
        plan: referenceTo(position.planLocationId, locations),
        ...{ x: position.x, y: position.y, radius_m: position.radius },
      };
}

function deviceView(id: number, name: string | undefined) {
  return name === undefined ? null : { id, name };
}

function scanView(
  { source, tagType, tagValue, rssi, receivedAt }: DecidingScan,
  observedAt: Micros,
  names: Names,
) {
  const { readers, handhelds } = names;
  const [id, name] =
    source.kind === 'reader'
      ? [source.readerId, readers.get(source.readerId)]
      : [source.handheldId, handhelds.get(source.handheldId)];
  return {
    by: source.kind,
    device: deviceView(id, name),
    antenna: source.kind === 'reader' ? antennaShown(names, source.readerId, source.antenna) : null,
    tag: { tag_type: tagType, value: tagValue },
    rssi,
    observed_at: wireTimeOfMicros(observedAt),
    received_at: wireTimeOfMicros(receivedAt),
  };
}
