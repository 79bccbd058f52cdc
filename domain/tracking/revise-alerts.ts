import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type AssetRef, assetKey } from './history/asset-ref.ts';
import { PairMap } from './pair-map.ts';
import { earliest, type Touched } from './positions.ts';
import { type Bound, LASTING_KINDS, type LastingKind, sideOf } from './reading-bound.ts';
import type { TagReading } from './reading-kind.ts';

/**
 * Has alerts about assets derived again, in organizations with rules: late or retracted scans may change no history,
 * and so no event, and yet change when an asset was read.
 */
export async function reviseAlerts(
  db: Connection,
  assets: readonly (AssetRef & { since: Micros })[],
): Promise<void> {
  if (assets.length === 0) {
    return;
  }
  await db.exec(sql.prepared('revise-alerts-of-assets', NO_ROWS)`
    insert into alert_revisions (org_id, subject, subject_id, since)
    select given.org_id, 'asset', given.asset_id, given.since
    from unnest(
      ${sql.binary(integers(assets.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(assets.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(assets.map(({ since }) => since)))}::timestamptz[]) as given (org_id, asset_id, since)
    where exists (select from rules where rules.org_id = given.org_id)`);
}

/** Assets with scans that are not newer than all before, with the earliest instant. */
export function withLateScans(touched: readonly Touched[]): (AssetRef & { since: Micros })[] {
  return touched.flatMap(({ isInOrder, position: { orgId, assetId }, scans }) =>
    isInOrder ? [] : [{ orgId, assetId, since: earliest(scans) }],
  );
}

/** A value of a tag, and when it was measured. */
interface Measured {
  value: number;
  at: Micros;
}

/** Of organizations with rules about readings, by kind. */
type Bounds = ReadonlyMap<number, ReadonlyMap<LastingKind | null, readonly Bound[]>>;

type Newest = PairMap<number, number, NewestRow>;

/** Late values whose predecessor is looked up, in a batch; all of more are taken to matter. */
const MOST_LOOKED_UP = 500;

/**
 * Assets whose alerts these readings may change, each with an instant just before. A value on the same side of a bound as
 * the one before it changes nothing, so a tag that repeats its value has nothing derived.
 *
 * Call before they are stored. Locks the newest values of their tags, so that the second of two recorders sees the first's
 * readings: positions do not ensure that, because readings of unplaced scans count, too.
 */
export async function withReadingsBeyond(
  db: Connection,
  found: readonly TagReading[],
): Promise<{ revised: (AssetRef & { since: Micros })[]; ofRules: ReadonlySet<number> }> {
  const bounds = await loadBounds(db, [...new Set(found.map(({ orgId }) => orgId))]);
  const ofRules = new Set(bounds.keys());
  if (bounds.size === 0) {
    return { revised: [], ofRules };
  }
  const asked = found
    .filter(({ orgId }) => bounds.has(orgId))
    .toSorted((a, b) => a.observedAt - b.observedAt);
  const newest = await lockNewest(db, asked);
  const earliest = new Map<string, AssetRef & { since: Micros }>();
  for (const kind of LASTING_KINDS) {
    for (const { orgId, assetId, observedAt } of await beyond(db, kind, asked, { bounds, newest })) {
      const asset = { orgId, assetId, since: observedAt - 1 };
      const before = earliest.get(assetKey(asset));
      earliest.set(assetKey(asset), before !== undefined && before.since <= asset.since ? before : asset);
    }
  }
  return { revised: [...earliest.values()], ofRules };
}

/** Versions that count, or did within the time for which alerts are derived; for a from clause, and more conditions. */
export const RULES_OF_READINGS = sql.fragment`rules rule where rule.reading is not null and not rule.is_ended
  and not exists (
    select from rules later where later.org_id = rule.org_id and later.id = rule.id and later.version > rule.version
      and later.valid_from < now() - interval '31 days')`;

async function loadBounds(db: Connection, orgIds: readonly number[]): Promise<Bounds> {
  const rows = await db.any(sql.prepared('find-bounds-of-readings', rowsOf<Bound & { org_id: number }>())`
    select distinct rule.org_id, rule.reading, rule.above, rule.below, rule.hysteresis from ${RULES_OF_READINGS}
      and rule.org_id = any (${sql.binary(integers(orgIds))}::integer[])`);
  return new Map(
    [...Map.groupBy(rows, (row) => row.org_id)].map(([orgId, own]) => [
      orgId,
      Map.groupBy(own, ({ reading }) => reading),
    ]),
  );
}

type NewestRow = { org_id: number; tag_id: number } & Record<LastingKind, number | null> &
  Record<`${LastingKind}_at`, Micros | null>;

/** Like all who lock several of them, in the order of tags. */
async function lockNewest(db: Connection, asked: readonly TagReading[]): Promise<Newest> {
  const tags = new PairMap<number, number, TagReading>();
  for (const reading of asked) {
    if (!tags.has(reading.orgId, reading.tagId)) {
      tags.add(reading.orgId, reading.tagId, reading);
    }
  }
  const given = tags.values();
  const rows = await db.any(sql.prepared('lock-newest-readings', rowsOf<NewestRow>())`
    select newest.org_id, newest.tag_id,
      newest.temperature_c, micros_of_time(newest.temperature_c_at) as temperature_c_at,
      newest.humidity_percent, micros_of_time(newest.humidity_percent_at) as humidity_percent_at,
      newest.battery_percent, micros_of_time(newest.battery_percent_at) as battery_percent_at,
      newest.battery_volts, micros_of_time(newest.battery_volts_at) as battery_volts_at
    from newest_readings newest
    join unnest(${sql.binary(integers(given.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(given.map(({ tagId }) => tagId)))}::integer[]) as given (org_id, tag_id)
      on newest.org_id = given.org_id and newest.tag_id = given.tag_id
    order by newest.org_id, newest.tag_id for update of newest`);
  const newest: Newest = new PairMap();
  for (const row of rows) {
    newest.add(row.org_id, row.tag_id, row);
  }
  return newest;
}

/** Readings of a kind that are on another side than the one before, as far as that is known. @param asked in order of time. */
async function beyond(
  db: Connection,
  kind: LastingKind,
  asked: readonly TagReading[],
  { bounds, newest }: { bounds: Bounds; newest: Newest },
): Promise<TagReading[]> {
  const last = new PairMap<number, number, { measured: Measured }>();
  const late: { reading: TagReading; inBatch: Measured | null }[] = [];
  const found: TagReading[] = [];
  for (const reading of asked) {
    const { orgId, tagId, observedAt: at, readings } = reading;
    const value = readings[kind];
    const own = bounds.get(orgId)?.get(kind);
    if (value === undefined || own === undefined) {
      continue;
    }
    const of = last.get(orgId, tagId);
    const inBatch = of?.measured ?? null;
    const stored = measuredIn(newest.get(orgId, tagId), kind);
    if (stored !== null && at <= stored.at) {
      late.push({ reading, inBatch });
    } else if (matters(own, laterOf(stored, inBatch), { value, at })) {
      found.push(reading);
    }
    if (of === undefined) {
      last.add(orgId, tagId, { measured: { value, at } });
    } else {
      of.measured = { value, at };
    }
  }
  if (late.length > MOST_LOOKED_UP) {
    return [...found, ...late.map(({ reading }) => reading)];
  }
  const before = await loadBefore(
    db,
    kind,
    late.map(({ reading }) => reading),
  );
  for (const [index, { reading, inBatch }] of late.entries()) {
    const own = bounds.get(reading.orgId)?.get(kind) ?? [];
    const measured = { value: reading.readings[kind] ?? 0, at: reading.observedAt };
    if (matters(own, laterOf(before.get(index) ?? null, inBatch), measured)) {
      found.push(reading);
    }
  }
  return found;
}

function measuredIn(row: NewestRow | undefined, kind: LastingKind): Measured | null {
  const [value, at] = [row?.[kind] ?? null, row?.[`${kind}_at`] ?? null];
  return value === null || at === null ? null : { value, at };
}

function laterOf(one: Measured | null, other: Measured | null): Measured | null {
  return one === null || (other !== null && other.at >= one.at) ? other : one;
}

/** Of two values at an instant the greater counts, so another one there always may. */
function matters(bounds: readonly Bound[], before: Measured | null, { value, at }: Measured): boolean {
  if (before !== null && before.at === at) {
    return before.value !== value;
  }
  return bounds.some((bound) => {
    const side = sideOf(bound, value);
    return side !== 'between' && (before === null || sideOf(bound, before.value) !== side);
  });
}

/** Rows before a value in which its predecessor is looked for. */
const MOST_BEFORE = 100;

/** By the index of a reading, the value of its tag at its instant, or the last one before. */
async function loadBefore(
  db: Connection,
  kind: LastingKind,
  late: readonly TagReading[],
): Promise<ReadonlyMap<number, Measured>> {
  if (late.length === 0) {
    return new Map();
  }
  const column = sql.identifier([kind]);
  const rows = await db.any(sql.prepared(
    `find-reading-before-${kind}`,
    rowsOf<{ place: number; value: number; at: Micros }>(),
  )`
    select given.place::integer - 1 as place, before.value, micros_of_time(before.observed_at) as at
    from unnest(${sql.binary(integers(late.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(late.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(integers(late.map(({ tagId }) => tagId)))}::integer[],
        ${sql.binary(timestamps(late.map(({ observedAt }) => observedAt)))}::timestamptz[])
      with ordinality as given (org_id, asset_id, tag_id, observed_at, place)
    cross join lateral (
      select recent.observed_at, recent.value from (
        select observed_at, tag_id, ${column} as value from tag_readings
        where org_id = given.org_id and asset_id = given.asset_id and observed_at <= given.observed_at
        order by observed_at desc limit ${MOST_BEFORE}::integer
      ) recent
      where recent.tag_id = given.tag_id and recent.value is not null
      order by recent.observed_at desc limit 1
    ) before`);
  return new Map(rows.map(({ place, value, at }) => [place, { value, at }]));
}
