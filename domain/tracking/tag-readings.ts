import { Turns } from '../../base/each-in-turns.ts';
import type { Micros } from '../../base/instant.ts';
import { doubles, integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type TimeRules, observedAt as whenObserved } from './observed-at.ts';
import { PairMap } from './pair-map.ts';
import { READING_KINDS, type ReadingKind, type Readings } from './reading-kind.ts';
import type { Resolutions } from './resolve-tags.ts';
import type { Scan } from './scan.ts';

/** What one tag of an asset measured at one instant. */
export interface TagReading {
  orgId: number;
  assetId: number;
  tagId: number;
  observedAt: Micros;
  readings: Readings;
}

/**
 * The values that scans of known assets measured, placed or not. As for scans, late values count at their time, too
 * late ones are refused, and the antenna's settings apply.
 */
export function readingsOf(
  scans: readonly Scan[],
  resolutions: Resolutions,
  now: Micros,
  rules: TimeRules,
): TagReading[] {
  const found: TagReading[] = [];
  for (const scan of scans) {
    if (scan.readings === undefined || (scan.source.kind === 'reader' && scan.source.isShutOut)) {
      continue;
    }
    const resolution = resolutions.get(scan);
    const time = resolution?.kind === 'asset' ? whenObserved(scan, now, rules) : null;
    if (resolution?.kind === 'asset' && time?.ok === true) {
      const { orgId, readings } = scan;
      const { assetId, tagId } = resolution;
      found.push({ orgId, assetId, tagId, observedAt: time.observedAt, readings });
    }
  }
  return found;
}

/** Ordered by key, each once. */
function distinct(found: readonly TagReading[]): TagReading[] {
  const readings: TagReading[] = [];
  for (const reading of found.toSorted(byKey)) {
    const last = readings.at(-1);
    if (last !== undefined && byKey(last, reading) === 0) {
      last.readings = greaterOf(last.readings, reading.readings);
    } else {
      readings.push(reading);
    }
  }
  return readings;
}

function byKey(a: TagReading, b: TagReading): number {
  return a.orgId - b.orgId || a.assetId - b.assetId || a.observedAt - b.observedAt || a.tagId - b.tagId;
}

/** The greater of two values at one instant, so that the order of reads does not matter. */
function greaterOf(one: Readings, other: Readings): Readings {
  const both: Partial<Record<ReadingKind, number>> = { ...one };
  for (const kind of READING_KINDS) {
    const value = other[kind];
    if (value !== undefined) {
      both[kind] = Math.max(value, one[kind] ?? value);
    }
  }
  return both;
}

/** Stores them, each once. Call with the assets' positions locked: rows are locked in the order of their keys. */
export async function recordReadings(db: Connection, given: readonly TagReading[]): Promise<void> {
  const found = distinct(given);
  const kinds = READING_KINDS.filter((kind) => found.some(({ readings }) => readings[kind] !== undefined));
  const turns = new Turns();
  for (let at = 0; at < found.length; at += AT_ONCE) {
    await insertReadings(db, found.slice(at, at + AT_ONCE), kinds);
    await turns.next();
  }
  await keepNewest(db, found, kinds);
}

/** Rows of a statement: a message can have ten thousand. */
const AT_ONCE = 4_000;

/** Columns of other kinds are left out: six of each took a third longer than three. */
async function insertReadings(
  db: Connection,
  rows: readonly TagReading[],
  kinds: readonly ReadingKind[],
): Promise<void> {
  await db.exec(sql.prepared(`record-readings-${numberOf(kinds)}`, NO_ROWS)`
    insert into tag_readings as stored (org_id, asset_id, tag_id, observed_at, ${listOf(kinds, ({ value }) => value)})
    select * from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(integers(rows.map(({ tagId }) => tagId)))}::integer[],
      ${sql.binary(timestamps(rows.map(({ observedAt }) => observedAt)))}::timestamptz[],
      ${listOf(kinds, ({ kind }) => sql.fragment`${sql.binary(doubles(rows.map(({ readings }) => readings[kind] ?? null)))}::float8[]`)})
    on conflict (org_id, asset_id, observed_at, tag_id) do update set ${listOf(kinds, ({ value }) => sql.fragment`${value} = greatest(stored.${value}, excluded.${value})`)}`);
}

type Newest = Pick<TagReading, 'orgId' | 'tagId'> &
  Partial<Record<ReadingKind, { value: number; at: Micros }>>;

async function keepNewest(
  db: Connection,
  found: readonly TagReading[],
  kinds: readonly ReadingKind[],
): Promise<void> {
  const byTag = new PairMap<number, number, Newest>();
  // In order of time.
  for (const { orgId, tagId, observedAt: at, readings } of found) {
    let newest = byTag.get(orgId, tagId);
    if (newest === undefined) {
      newest = { orgId, tagId };
      byTag.add(orgId, tagId, newest);
    }
    for (const kind of kinds) {
      const value = readings[kind];
      if (value !== undefined) {
        newest[kind] = { value, at };
      }
    }
  }
  const rows = byTag.values().toSorted((a, b) => a.orgId - b.orgId || a.tagId - b.tagId);
  await db.exec(sql.prepared(`keep-newest-readings-${numberOf(kinds)}`, NO_ROWS)`
    insert into newest_readings as stored (org_id, tag_id, ${listOf(kinds, ({ value, at }) => sql.fragment`${value}, ${at}`)})
    select * from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ tagId }) => tagId)))}::integer[],
      ${listOf(
        kinds,
        ({
          kind,
        }) => sql.fragment`${sql.binary(doubles(rows.map((row) => row[kind]?.value ?? null)))}::float8[],
          ${sql.binary(timestamps(rows.map((row) => row[kind]?.at ?? null)))}::timestamptz[]`,
      )})
    on conflict (org_id, tag_id) do update set ${listOf(kinds, newestOf)}`);
}

interface Columns {
  kind: ReadingKind;
  /** Of both tables. */
  value: FragmentSqlToken;
  /** Of `newest_readings`. */
  at: FragmentSqlToken;
}

function listOf(
  kinds: readonly ReadingKind[],
  part: (columns: Columns) => FragmentSqlToken,
): FragmentSqlToken {
  const parts = kinds.map((kind) =>
    part({
      kind,
      value: sql.fragment`${sql.identifier([kind])}`,
      at: sql.fragment`${sql.identifier([`${kind}_at`])}`,
    }),
  );
  return sql.fragment`${sql.join(parts, sql.fragment`, `)}`;
}

/** The winning value: the newest, and at one instant the greater. */
function newestOf({ value, at }: Columns): FragmentSqlToken {
  const isNewer = sql.fragment`stored.${at} is null or (excluded.${at}, excluded.${value}) > (stored.${at}, stored.${value})`;
  return sql.fragment`${value} = case when ${isNewer} then excluded.${value} else stored.${value} end,
    ${at} = case when ${isNewer} then excluded.${at} else stored.${at} end`;
}

/** Tells the statements of different kinds apart. */
function numberOf(kinds: readonly ReadingKind[]): number {
  return kinds.reduce((number, kind) => number + 2 ** READING_KINDS.indexOf(kind), 0);
}
