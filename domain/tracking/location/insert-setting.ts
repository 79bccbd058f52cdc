import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Deciding } from './require-setting.ts';
import { MOST_SETTINGS } from './site.ts';

export interface InsertedSetting {
  validFrom: Micros;
  /** When another setting of the same location begins; null if none does. */
  until: Micros | null;
  /** Later scans are recorded already: histories have to be decided again. */
  isPast: boolean;
  /** Settings as JSON; null if the same was in force already, or nothing to end, and nothing was stored. */
  change: { settingId: number; before: string | null; after: string } | null;
}

/**
 * Stores a setting that holds for scans observed from an instant on, until the next of its location begins.
 *
 * @param from null for now by the database's clock, and after every scan of the organization that is recorded.
 * @throws AppError `conflict` if the organization has {@link MOST_SETTINGS}.
 */
export async function insertSetting(
  transaction: Connection,
  setting: { orgId: number; locationId: number | null; actor: { type: string; id: string } } & Deciding,
  from: Micros | null,
): Promise<InsertedSetting> {
  const { orgId, locationId, procedure, certainty, tagDbm, tagKinds = null, actor } = setting;
  // Waits for the recorders that have read the settings, and keeps others from reading them, so that none has judged a
  // scan newer than the newest found here.
  await lockSettings(transaction, orgId);
  const values = sql.fragment`${procedure}::text, ${certainty}::double precision, ${tagDbm}::double precision,
    ${tagKinds}::text`;
  const found = await transaction.one(sql.type(rowsOf<Found>())`
    with recorded as (select max(last_seen) as last from positions where org_id = ${orgId}),
    asked as (
      select coalesce(time_of_micros(${from}::bigint), greatest(clock_timestamp(), last + interval '1 microsecond')) as at,
        last
      from recorded
    )
    select micros_of_time(asked.at) as valid_from, coalesce(asked.last >= asked.at, false) as is_past,
      micros_of_time(later.valid_from) as until, micros_of_time(held.valid_from) as held_from, held.setting as held,
      coalesce(held.is_same, false) as is_same,
      (select count(*) from location_settings where org_id = ${orgId}) as count
    from asked
    left join lateral (
      select valid_from, ${AS_JSON} as setting,
        (procedure, certainty, tag_dbm, tag_kinds) is not distinct from (${values}) as is_same
      from location_settings
      where org_id = ${orgId} and location_id is not distinct from ${locationId}::integer and valid_from <= asked.at
      order by valid_from desc, id desc limit 1
    ) held on true
    left join lateral (
      select valid_from from location_settings
      where org_id = ${orgId} and location_id is not distinct from ${locationId}::integer and valid_from > asked.at
      order by valid_from limit 1
    ) later on true`);
  const { until, held_from: heldFrom } = found;
  if (found.is_same && heldFrom !== null) {
    return { validFrom: heldFrom, until, isPast: false, change: null };
  }
  if (procedure === 'inherit' && found.held === null) {
    return { validFrom: found.valid_from, until, isPast: false, change: null };
  }
  if (found.count >= MOST_SETTINGS) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has ${MOST_SETTINGS.toLocaleString('en')} or more location settings, the maximum; ` +
        'they stay in force; "Too many location settings" in the runbook says how to make room',
    );
  }
  const { id: settingId, after } = await transaction.one(sql.type(rowsOf<{ id: number; after: string }>())`
    insert into location_settings
      (org_id, location_id, valid_from, procedure, certainty, tag_dbm, tag_kinds, actor_type, actor_id)
    values (${orgId}, ${locationId}::integer, time_of_micros(${found.valid_from}), ${values}, ${actor.type}, ${actor.id})
    returning id, ${AS_JSON} as after`);
  const change = { settingId, before: found.held, after };
  return { validFrom: found.valid_from, until, isPast: found.is_past, change };
}

/** A setting by its id; or one of a location by when it begins, the last one if several begin then. */
export type WhichSetting = { settingId: number } | { locationId: number | null; from: Micros };

interface RemovedSetting {
  location_id: number | null;
  location_external_key: string | null;
  /** As JSON. */
  setting: string;
}

/**
 * Removes a setting that begins later. @returns null if there is none.
 *
 * @throws AppError `conflict` if scans of its time are recorded, or it is in force.
 */
export async function removePlanned(
  transaction: Connection,
  orgId: number,
  which: WhichSetting,
): Promise<RemovedSetting | null> {
  await lockSettings(transaction, orgId);
  const isMeant =
    'settingId' in which
      ? sql.fragment`id = ${which.settingId}`
      : sql.fragment`location_id is not distinct from ${which.locationId}::integer
          and date_trunc('milliseconds', valid_from) = date_trunc('milliseconds', time_of_micros(${which.from}))`;
  const found = await transaction.maybeOne(sql.type(
    rowsOf<RemovedSetting & { id: number; is_begun: boolean }>(),
  )`
    select id, location_id, ${AS_JSON} as setting, valid_from <= clock_timestamp()
      or valid_from <= (select max(last_seen) from positions where org_id = ${orgId}) as is_begun,
      (select external_key from locations where org_id = ${orgId} and id = location_id) as location_external_key
    from location_settings
    where org_id = ${orgId} and ${isMeant}
    order by id desc limit 1`);
  if (found === null) {
    return null;
  }
  if (found.is_begun) {
    throw new AppError('conflict', 'The setting has begun, and stays; set another one from now on');
  }
  await transaction.exec(sql.type(NO_ROWS)`
    delete from location_settings where org_id = ${orgId} and id = ${found.id}`);
  return found;
}

/**
 * Recorders would queue behind a change that waits for one with a large batch, so for some seconds it only asks whether
 * all are done. Where scans never pause it waits after that, so that the next change is seconds away.
 */
async function lockSettings(transaction: Connection, orgId: number): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { is_locked: isLocked } = await transaction.one(sql.type(rowsOf<{ is_locked: boolean }>())`
      select pg_try_advisory_xact_lock(${ORGANIZATION_LOCKS.locating}::integer, ${orgId}::integer) as is_locked`);
    if (isLocked) {
      return;
    }
    await pause(EVERY);
  }
  await transaction.exec(sql.type(NO_ROWS)`
    select pg_advisory_xact_lock(${ORGANIZATION_LOCKS.locating}::integer, ${orgId}::integer)`);
}

const ATTEMPTS = 50;

/** Milliseconds between attempts. */
const EVERY = 100;

interface Found {
  valid_from: Micros;
  is_past: boolean;
  until: Micros | null;
  held_from: Micros | null;
  held: string | null;
  is_same: boolean;
  count: number;
}

/** A setting as `locate list` has it. */
const AS_JSON = sql.fragment`json_build_object('procedure', procedure, 'certainty', certainty, 'tag_dbm', tag_dbm,
  'tag_kinds', tag_kinds, 'valid_from', to_char(valid_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
