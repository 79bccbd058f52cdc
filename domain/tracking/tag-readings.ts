import { Turns } from '../../base/each-in-turns.ts';
import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { isUniqueViolation } from '../../db/timescale/connections/transaction.ts';
import { doubles, integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { copyRows } from '../../db/timescale/queries/copy-rows.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type TimeRules, observedAt as whenObserved } from './observed-at.ts';
import { PairMap } from './pair-map.ts';
import { READING_KINDS, type ReadingKind, type Readings, type TagReading } from './reading-kind.ts';
import type { ReadingsOfTransaction } from './recent-readings.ts';
import type { Resolutions } from './resolve-tags.ts';
import type { Outcome, Scan } from './scan.ts';

/**
 * The values that scans of known assets measured, placed or not. As for scans, late values count at their time, too
 * late ones are refused, and the antenna's settings apply.
 */
export function readingsOf(
  scans: readonly Scan[],
  outcomes: readonly Outcome[],
  resolutions: Resolutions,
  now: Micros,
  rules: TimeRules,
): TagReading[] {
  const found: TagReading[] = [];
  for (const [index, scan] of scans.entries()) {
    if (scan.readings === undefined || (scan.source.kind === 'reader' && scan.source.isShutOut)) {
      continue;
    }
    const resolution = resolutions.get(scan);
    const time = resolution?.kind === 'asset' ? whenObserved(scan, now, rules) : null;
    if (resolution?.kind === 'asset' && time?.ok === true) {
      const { orgId, readings } = scan;
      const { assetId, tagId } = resolution;
      const isRepeat = outcomes[index]?.status === 'duplicate';
      found.push({ orgId, assetId, tagId, observedAt: time.observedAt, readings, isRepeat });
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
      last.isRepeat ||= reading.isRepeat === true;
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

interface HowToRecord {
  isCareful: boolean;
  measured?: ReadingsOfTransaction | undefined;
  /** Organizations whose rules ask for the newest values. */
  ofRules?: ReadonlySet<number>;
}

/**
 * Stores them, each once. Those that may be stored already are merged, row by row.
 *
 * @returns false if one was stored already that was not expected: then the transaction has failed, and is to be retried
 * carefully.
 */
export async function recordReadings(
  client: Client,
  given: readonly TagReading[],
  { isCareful, measured, ofRules = NONE }: HowToRecord,
): Promise<boolean> {
  const found = distinct(given);
  const kinds = READING_KINDS.filter((kind) => found.some(({ readings }) => readings[kind] !== undefined));
  if (isCareful) {
    measured?.noteStored(await findStored(client, found));
  }
  const [merging, fresh]: [TagReading[], TagReading[]] = [[], []];
  for (const reading of found) {
    const mayBeStored = isCareful || reading.isRepeat === true || measured?.mayBeStored(reading) === true;
    (mayBeStored ? merging : fresh).push(reading);
  }
  const turns = new Turns();
  for (let at = 0; at < merging.length; at += AT_ONCE) {
    await mergeReadings(client, merging.slice(at, at + AT_ONCE), kinds);
    await turns.next();
  }
  const inserting = insertReadings(client, fresh, kinds);
  const keeping = keepNewest(client, newestOfTags(measured?.choose(found, ofRules) ?? found, kinds), kinds);
  // If a reading was stored already, the statement pipelined behind fails too, without naming the cause.
  keeping.catch(() => {});
  if (!(await inserting)) {
    return false;
  }
  await keeping;
  return true;
}

const NONE: ReadonlySet<number> = new Set();

/** Rows of a statement: a message can have ten thousand. */
const AT_ONCE = 4_000;

/**
 * By COPY, which takes the database two thirds of the time of {@link mergeReadings}.
 *
 * @returns false if one was stored already.
 */
async function insertReadings(
  client: Client,
  rows: readonly TagReading[],
  kinds: readonly ReadingKind[],
): Promise<boolean> {
  const target = { table: 'tag_readings', columns: [...KEY, ...kinds] };
  try {
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      await copyRows(client, target, rows.slice(at, at + AT_ONCE), (into, reading) => {
        into.integer(reading.orgId);
        into.integer(reading.assetId);
        into.integer(reading.tagId);
        into.timestamp(reading.observedAt);
        for (const kind of kinds) {
          into.double(reading.readings[kind] ?? null);
        }
      });
    }
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) {
      return false;
    }
    throw error;
  }
}

const KEY = ['org_id', 'asset_id', 'tag_id', 'observed_at'];

/** Gateways that hear one tag and write whole seconds say one instant again and again. */
async function findStored(db: Connection, rows: readonly TagReading[]): Promise<TagReading[]> {
  const stored = await db.any(sql.prepared('find-stored-readings', rowsOf<{ place: number }>())`
    select given.place::integer as place
    from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(integers(rows.map(({ tagId }) => tagId)))}::integer[],
      ${sql.binary(timestamps(rows.map(({ observedAt }) => observedAt)))}::timestamptz[])
      with ordinality as given (org_id, asset_id, tag_id, observed_at, place)
    cross join lateral (
      select from tag_readings stored
      where stored.org_id = given.org_id and stored.asset_id = given.asset_id
        and stored.observed_at = given.observed_at and stored.tag_id = given.tag_id
      limit 1
    ) stored`);
  return stored.flatMap(({ place }) => rows[place - 1] ?? []);
}

/** Columns of other kinds are left out: six of each took a third longer than three. */
async function mergeReadings(
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

/** What a tag says now, of each kind that it said in a batch. */
interface NewestOfTag extends Partial<Record<ReadingKind, { value: number; at: Micros }>> {
  orgId: number;
  tagId: number;
}

async function keepNewest(
  db: Connection,
  rows: readonly NewestOfTag[],
  kinds: readonly ReadingKind[],
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
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

/** In the order in which they are locked. */
function newestOfTags(found: readonly TagReading[], kinds: readonly ReadingKind[]): NewestOfTag[] {
  const byTag = new PairMap<number, number, NewestOfTag>();
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
  return byTag.values().toSorted((a, b) => a.orgId - b.orgId || a.tagId - b.tagId);
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

const ARE_THERE = sql.join(
  READING_KINDS.map((kind) => {
    const column = sql.identifier([`${kind}_at`]);
    return sql.fragment`case when count(${column}) > 0 then ${sql.literalValue(kind)} end`;
  }),
  sql.fragment`, `,
);

/** The kinds of values that tags of an organization have measured. */
export async function listMeasuredKinds(db: Connection, orgId: number): Promise<readonly ReadingKind[]> {
  const { kinds } = await db.one(sql.type(rowsOf<{ kinds: ReadingKind[] }>())`
    select array_remove(array[${ARE_THERE}], null) as kinds from newest_readings where org_id = ${orgId}`);
  return kinds;
}
