import { TooMuchTogether } from '../../../base/errors.ts';
import { greatestOf, leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { slicesOf } from '../../../base/slices-of.ts';
import { bigints, doubles, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LOOKS_BACK } from '../../presence/coverage/load-places.ts';
import { type Bound, type LastingKind, releaseOf, type Side, sideOf } from '../../tracking/reading-bound.ts';
import { RULES_OF_READINGS } from '../../tracking/revise-alerts.ts';
import { type DatedRule, isOfReadings } from '../rules/rule.ts';
import type { Measured, MeasuredTag } from './evidence.ts';

/** Readings of one kind and tag that are looked at; of an asset that is looked at alone half a million take 0.3 to 1.2 s. */
const MOST_READINGS = { together: 5_000, alone: 500_000 };

/** Readings of assets that are looked at together. */
const MOST_TOGETHER = 50_000;

/** Assets in a statement. */
const AT_ONCE = 20;

/** Earlier readings of a tag in which the last one beyond, or back, is looked for. */
const MOST_BEFORE = 1_000;

/** Readings of a tag on another side than the one before. */
const MOST_PIECES_OF_TAG = 5_000;

/** An asset whose readings are wanted. */
export interface MeasuredWanted {
  assetId: number;
  /** From when on they matter. */
  since: Micros;
  /** Rules with an alert that was raised before `since` and was still open then. */
  alerted: ReadonlySet<string>;
}

/**
 * Readings of the kinds that rules name: only values that pass a bound of a rule, or come back. Looks back to the value
 * in force at `since`; further, by a rule's threshold, only if that value is beyond the bound and no alert says so.
 *
 * @param wanted in order.
 * @throws TooMuchTogether
 */
export async function loadMeasured(
  db: Connection,
  orgId: number,
  rules: readonly DatedRule[],
  wanted: readonly MeasuredWanted[],
  until: Micros,
): Promise<ReadonlyMap<number, ReadonlyMap<LastingKind, Measured>>> {
  const found = new Map<number, Map<LastingKind, Measured>>(
    wanted.map(({ assetId }) => [assetId, new Map()]),
  );
  const looked = { assets: 0, readings: 0 };
  for (const [kind, own] of Map.groupBy(rules.filter(isOfReadings), ({ bound }) => bound.reading)) {
    looked.assets = 0;
    for (const some of kind === null ? [] : slicesOf(wanted, AT_ONCE)) {
      const options = { rules: own, until, most: MOST_READINGS[wanted.length === 1 ? 'alone' : 'together'] };
      const measured = await loadNearOrFar(db, orgId, kind as LastingKind, some, options);
      looked.readings += [...measured.values()]
        .flatMap(({ tags }) => tags)
        .reduce((sum, tag) => sum + tag.looked, 0);
      const isCut = measured.values().some(({ tags }) => tags.some((tag) => tag.isCut));
      if (wanted.length > 1 && (looked.readings > MOST_TOGETHER || isCut)) {
        const fits = Math.max(1, looked.assets, Math.floor(Math.min(some.length, wanted.length) / 4));
        throw new TooMuchTogether('too many readings to look at together; look at fewer assets', fits);
      }
      looked.assets += some.length;
      for (const [assetId, each] of measured) {
        found.get(assetId)?.set(kind as LastingKind, each);
      }
    }
  }
  return found;
}

interface LoadOptions {
  rules: readonly DatedRule[];
  until: Micros;
  most: number;
}

/** By asset. */
async function loadNearOrFar(
  db: Connection,
  orgId: number,
  kind: LastingKind,
  wanted: readonly MeasuredWanted[],
  options: LoadOptions,
): Promise<ReadonlyMap<number, Measured>> {
  const near = await loadTags(db, orgId, kind, wanted, { ...options, reach: 0 });
  const further = wanted.filter((each) => asksFurther(options.rules, each, near.get(each.assetId)));
  if (further.length === 0) {
    return near;
  }
  const reach = greatestOf([0, ...options.rules.map(({ after }) => after ?? 0)]);
  return new Map([...near, ...(await loadTags(db, orgId, kind, further, { ...options, reach }))]);
}

/** Whether it matters since when a tag is beyond a bound. */
function asksFurther(
  rules: readonly DatedRule[],
  { since, alerted }: MeasuredWanted,
  near: Measured | undefined,
): boolean {
  return rules.some(
    (rule) =>
      (rule.after ?? 0) > 0 &&
      !(alerted.has(rule.ruleId) && rule.from < since) &&
      near?.tags.some((tag) => !isBeginKnown(rule.bound, tag, since)),
  );
}

/** Whether it is back, or was so before it was beyond. */
function isBeginKnown(bound: Bound, { pieces }: MeasuredTag, instant: Micros): boolean {
  return pieces.some(({ at, value }) => at <= instant && sideOf(bound, value) === 'back');
}

/** By the last reading up to an instant that is beyond the bound or back; `between` where there is none. */
export function sideAt(bound: Bound, { pieces }: MeasuredTag, instant: Micros): Side {
  const last = pieces.findLast(({ at, value }) => at <= instant && sideOf(bound, value) !== 'between');
  return last === undefined ? 'between' : sideOf(bound, last.value);
}

interface PieceRow {
  asset_id: number;
  tag_id: number;
  /** Null while it is attached. */
  detached_at: Micros | null;
  at: Micros;
  value: number;
  /** Among the readings that were looked at, the newest first. */
  place: number;
}

function measuredBy(tags: readonly (readonly PieceRow[])[], since: Micros, most: number): Measured {
  const measured = tags.map((rows): MeasuredTag => {
    const pieces = rows.map(({ at, value }) => ({ at, value })).toSorted((a, b) => a.at - b.at);
    return {
      tagId: rows[0]?.tag_id ?? 0,
      until: rows[0]?.detached_at ?? Number.POSITIVE_INFINITY,
      looked: rows[0]?.place ?? 0,
      isCut: rows.length > MOST_PIECES_OF_TAG || rows.some(({ place }) => place >= most),
      pieces: pieces.slice(-MOST_PIECES_OF_TAG),
    };
  });
  const begins = measured.map(({ pieces }) => pieces[0]?.at ?? since);
  const cut = measured.flatMap(({ isCut, pieces }) => (isCut ? [pieces[0]?.at ?? since] : []));
  // Nothing is known of readings before the oldest kept one.
  const known = begins.length === 0 ? since : leastOf(begins);
  return { tags: measured, since: greatestOf([since, known, ...cut]) };
}

/** Numbers apart between which no value passes a bound; one that equals a bound is by itself. */
function edgesOf(rules: readonly DatedRule[]): number[] {
  const edges = rules.flatMap(({ bound }) => [bound.above ?? bound.below ?? 0, releaseOf(bound)]);
  return [...new Set(edges.flatMap((edge) => [edge, nextAfter(edge)]))].sort((a, b) => a - b);
}

const DOUBLE = new DataView(new ArrayBuffer(8));

/** The least number that is greater. */
function nextAfter(number: number): number {
  if (number === 0) {
    return Number.MIN_VALUE;
  }
  DOUBLE.setFloat64(0, number);
  DOUBLE.setBigInt64(0, DOUBLE.getBigInt64(0) + (number > 0 ? 1n : -1n));
  return DOUBLE.getFloat64(0);
}

async function loadTags(
  db: Connection,
  orgId: number,
  kind: LastingKind,
  wanted: readonly MeasuredWanted[],
  { rules, reach, until, most }: LoadOptions & { reach: Micros },
): Promise<ReadonlyMap<number, Measured>> {
  const [column, newestAt] = [sql.identifier([kind]), sql.identifier([`${kind}_at`])];
  const begin = sql.fragment`time_of_micros(given.since)`;
  const readings = sql.fragment`tag_readings reading where reading.org_id = ${orgId}::integer
    and reading.asset_id = given.asset_id and reading.tag_id = tag.id and reading.${column} is not null
    and newest.${newestAt} >= ${begin} - interval '31 days'`;
  const rows = await db.any(sql.prepared(`load-measured-${kind}`, rowsOf<PieceRow>())`
    select given.asset_id, tag.id as tag_id, micros_of_time(tag.detached_at) as detached_at,
      micros_of_time(piece.observed_at) as at, piece.value, piece.place::integer as place
    from unnest(${sql.binary(integers(wanted.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(bigints(wanted.map(({ since }) => since - reach)))}::bigint[]) as given (asset_id, since)
    cross join lateral (
      select id, detached_at from tags where org_id = ${orgId}::integer and asset_id = given.asset_id
        and (detached_at is null or detached_at > ${begin}) offset 0
    ) tag
    join newest_readings newest on newest.org_id = ${orgId}::integer and newest.tag_id = tag.id and newest.${column} is not null
    cross join lateral (
      select * from (
        select observed_at, value, place from (
          select observed_at, value, edge, lead(edge) over (order by observed_at desc) as edge_before,
            row_number() over (order by observed_at desc) as place
          from (
            select reading.observed_at, reading.${column} as value,
              width_bucket(reading.${column}, ${sql.binary(doubles(edgesOf(rules)))}::float8[]) as edge
            from ${readings} and reading.observed_at < time_of_micros(${until}::bigint)
              and reading.observed_at >= coalesce((
                select reading.observed_at from ${readings} and reading.observed_at < ${begin}
                  and reading.observed_at >= time_of_micros(given.since - ${LOOKS_BACK}::bigint)
                order by reading.observed_at desc offset ${MOST_BEFORE}::integer limit 1
              ), time_of_micros(given.since - ${LOOKS_BACK}::bigint))
            order by reading.observed_at desc limit ${most}::integer
          ) looked
        ) compared
        where edge_before is distinct from edge
        order by observed_at desc limit ${MOST_PIECES_OF_TAG + 1}::integer
      ) passed
      union all
      -- The newest is kept for good.
      select newest.${newestAt}, newest.${column}, 1
      where newest.${newestAt} < ${begin} or newest.${newestAt} < time_of_micros(${until}::bigint)
        and not exists (select from ${readings} and reading.observed_at = newest.${newestAt})
    ) piece
    order by given.asset_id, tag.id, piece.observed_at`);
  const ofAssets = Map.groupBy(rows, (row) => row.asset_id);
  return new Map(
    wanted.map(({ assetId, since }) => {
      const tags = Map.groupBy(ofAssets.get(assetId) ?? [], (row) => row.tag_id);
      return [assetId, measuredBy([...tags.values()], since, most)];
    }),
  );
}

/** Table `tag` of an organization's tags of assets that ever measured anything, for a from clause. */
export function measuringTags(orgId: number): FragmentSqlToken {
  return sql.fragment`tags tag join newest_readings newest on newest.org_id = ${orgId} and newest.tag_id = tag.id
    and tag.org_id = ${orgId} and tag.asset_id is not null`;
}

/** Elsewhere only assets that were somewhere can have alerts. */
export function hasRulesOfReadings(orgId: number): FragmentSqlToken {
  return sql.fragment`exists (select from ${RULES_OF_READINGS} and rule.org_id = ${orgId})`;
}
