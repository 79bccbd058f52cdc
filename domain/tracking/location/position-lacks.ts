import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { greatestOf } from '../../../base/extremes.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { MadeSetting } from './setting-history.ts';

/**
 * What is missing where strength decides although position is set, in this order: each entry implies the later ones.
 */
export const LACKS = ['plan', 'scale', 'outlines', 'antennas'] as const;

export type Lack = (typeof LACKS)[number];

export const LACK_WORDS: Readonly<Record<Lack, string>> = {
  plan: 'a plan',
  scale: 'a scale on its plan',
  outlines: 'places on its plan',
  antennas: 'antennas on its plan',
};

/** A location that is set to be decided by position, now or from a later time on. */
export interface PositionSetting {
  /** Null for the organization. */
  location_id: number | null;
  location_external_key: string | null;
  /** Null if position can decide. */
  lacks: Lack | null;
}

export async function positionSettings(db: Connection, orgId: number): Promise<readonly PositionSetting[]> {
  const settings = await db.any(sql.type(rowsOf<Omit<PositionSetting, 'lacks'>>())`
    select distinct made.location_id, location.external_key as location_external_key
    from location_settings made
    left join locations location on location.org_id = made.org_id and location.id = made.location_id
    where made.org_id = ${orgId} and made.procedure = 'position'
      and (made.location_id is null or location.deleted_at is null)
      and (made.valid_from > now() or not exists (
        select from location_settings later
        where later.org_id = ${orgId} and later.location_id is not distinct from made.location_id
          and later.valid_from <= now() and (later.valid_from, later.id) > (made.valid_from, made.id)))
    order by made.location_id nulls first`);
  if (settings.length === 0) {
    return [];
  }
  const plans = await db.any(sql.type(rowsOf<PlanParts>())`
    select plan.location_id, plan.scale_metres is not null as has_scale,
      exists (
        select from plan_places place join locations on locations.org_id = ${orgId} and locations.id = place.location_id
        where place.org_id = ${orgId} and place.plan_id = plan.id and locations.deleted_at is null
      ) as has_outlines,
      exists (
        select from plan_antennas pin join readers on readers.org_id = ${orgId} and readers.id = pin.reader_id
        where pin.org_id = ${orgId} and pin.plan_id = plan.id and readers.deleted_at is null
      ) as has_antennas
    from plans plan where plan.org_id = ${orgId} and plan.location_id is not null`);
  const above = await locationsAbove(db, orgId, [...settings, ...plans]);
  return settings.map((setting) => ({ ...setting, lacks: lackAt(setting.location_id, plans, above) }));
}

/** What a current or planned setting lacks; null for others. */
export function lackOf(
  { location_id: id, procedure, state }: Pick<MadeSetting, 'location_id' | 'procedure' | 'state'>,
  positions: readonly PositionSetting[],
): Lack | null {
  return procedure === 'position' && state !== 'ended'
    ? (positions.find((each) => each.location_id === id)?.lacks ?? null)
    : null;
}

interface PlanParts {
  location_id: number;
  has_scale: boolean;
  has_outlines: boolean;
  has_antennas: boolean;
}

/** Each location with its ancestors, deepest first. */
async function locationsAbove(
  db: Connection,
  orgId: number,
  of: readonly { location_id: number | null }[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const ids = [...new Set(of.flatMap(({ location_id: id }) => id ?? []))];
  const rows = await db.any(sql.type(rowsOf<{ first: number; ids: number[] }>())`
    with recursive above (first, id, parent_id, depth) as (
      select id, id, parent_id, 0 from locations
      where org_id = ${orgId} and id = any (${sql.binary(integers(ids))}::integer[])
      union all
      select above.first, parent.id, parent.parent_id, depth + 1
      from above join locations parent on parent.org_id = ${orgId} and parent.id = above.parent_id
    )
    select first, array_agg(id order by depth) as ids from above group by first`);
  return new Map(rows.map(({ first, ids }) => [first, ids]));
}

/** For the nearest plan with a scale at the location or above, and for those below it: the smallest lack counts. */
function lackAt(
  locationId: number | null,
  plans: readonly PlanParts[],
  above: ReadonlyMap<number, readonly number[]>,
): Lack | null {
  const upwards = locationId === null ? [] : (above.get(locationId) ?? []);
  const at = (id: number) => plans.filter((plan) => plan.location_id === id);
  const nearest = upwards
    .map((id) => at(id).find((plan) => plan.has_scale))
    .find((plan) => plan !== undefined);
  const below = plans.filter(
    ({ location_id: id }) =>
      locationId === null || (id !== locationId && above.get(id)?.includes(locationId) === true),
  );
  const counted = [...(nearest === undefined ? upwards.flatMap(at) : [nearest]), ...below];
  const ranks = counted.map((plan) => rankOf(lackOfPlan(plan)));
  return LACKS[greatestOf([0, ...ranks])] ?? null;
}

function lackOfPlan(plan: PlanParts): Lack | null {
  if (!plan.has_scale) {
    return 'scale';
  }
  return plan.has_outlines ? (plan.has_antennas ? null : 'antennas') : 'outlines';
}

function rankOf(lack: Lack | null): number {
  return lack === null ? LACKS.length : LACKS.indexOf(lack);
}

/**
 * Changes plans.
 *
 * @param isMeant also if position can no longer decide where it is set.
 * @throws Invalid naming `without_position` if it is not meant.
 */
export async function keepingPosition<Result>(
  change: Connection & { readonly orgId: number },
  isMeant: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = isMeant ? [] : await positionSettings(change, change.orgId);
  const result = await work();
  const after = before.length === 0 ? [] : await positionSettings(change, change.orgId);
  for (const [index, { location_external_key: key, lacks }] of after.entries()) {
    if (lacks !== null && rankOf(lacks) < rankOf(before[index]?.lacks ?? null)) {
      throw invalid([
        invalidValue(
          'without_position',
          `must be true to go on: ${key ?? 'the organization'} is decided by position and would lack ${LACK_WORDS[lacks]}, so strength would decide`,
        ),
      ]);
    }
  }
  return result;
}
