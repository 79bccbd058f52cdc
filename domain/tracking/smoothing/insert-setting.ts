import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { ORGANIZATION_LOCKS, smoothingSlot } from '../../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Setting } from './require-smoothing.ts';
import { MOST_SETTINGS } from './settings.ts';

/**
 * Stores a setting that holds from now on: after every scan of the organization that is recorded, and not before the
 * setting that it follows.
 *
 * @param now null for the database's clock.
 * @throws AppError `conflict` if the organization has {@link MOST_SETTINGS}.
 * @returns the instant from which it holds; that of the newest of the location if it is the same, and nothing is stored.
 */
export async function insertSetting(
  transaction: Connection,
  { orgId, locationId, smoothing, actor }: Setting & { actor: { type: string; id: string } },
  now: Micros | null,
): Promise<Made> {
  const { window = null, minimum = null, margin = null } = typeof smoothing === 'object' ? smoothing : {};
  // Waits for the recorders that have read the settings, and keeps others from reading them, so that none has judged a
  // scan newer than the newest found here.
  await lockSettings(transaction, orgId);
  const setting = sql.fragment`${typeof smoothing === 'object' ? 'on' : smoothing}::text, ${inSeconds(window)}::integer,
      ${inSeconds(minimum)}::integer, ${margin}::double precision`;
  const newest = await transaction.maybeOne(sql.type(rowsOf<Newest>())`
    select micros_of_time(valid_from) as valid_from, ${AS_JSON} as setting,
      (mode, window_seconds, min_seconds, margin_db) is not distinct from (${setting}) as is_same
    from smoothing_settings
    where org_id = ${orgId} and location_id is not distinct from ${locationId}::integer
    order by valid_from desc, id desc limit 1`);
  if (newest?.is_same === true) {
    return { validFrom: newest.valid_from, change: null };
  }
  await requireRoom(transaction, orgId);
  const row = await transaction.one(sql.type(rowsOf<Inserted>())`
    insert into smoothing_settings
      (org_id, location_id, valid_from, mode, window_seconds, min_seconds, margin_db, actor_type, actor_id)
    select ${orgId}, ${locationId}::integer,
      greatest(
        coalesce(time_of_micros(${now}), clock_timestamp()),
        (select max(last_seen) + interval '1 microsecond' from positions where org_id = ${orgId}),
        (select max(valid_from) from smoothing_settings where org_id = ${orgId})),
      ${setting}, ${actor.type}, ${actor.id}
    returning micros_of_time(valid_from) as valid_from, ${AS_JSON} as after`);
  return {
    validFrom: row.valid_from,
    change: { before: newest?.setting ?? null, after: row.after },
  };
}

/**
 * Recorders would queue behind a change that waits for one with a large batch, so for some seconds it only asks whether
 * all are done. Where scans never pause it waits after that, so that the next change is seconds away.
 */
async function lockSettings(transaction: Connection, orgId: number): Promise<void> {
  const slot = smoothingSlot(orgId);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { is_locked: isLocked } = await transaction.one(sql.type(rowsOf<{ is_locked: boolean }>())`
      select pg_try_advisory_xact_lock(${ORGANIZATION_LOCKS.smoothing}::integer, ${slot}::integer) as is_locked`);
    if (isLocked) {
      return;
    }
    await pause(EVERY);
  }
  await transaction.exec(sql.type(NO_ROWS)`
    select pg_advisory_xact_lock(${ORGANIZATION_LOCKS.smoothing}::integer, ${slot}::integer)`);
}

const ATTEMPTS = 50;

/** Milliseconds between attempts. */
const EVERY = 100;

/** Every batch goes by all settings of its organizations. */
async function requireRoom(transaction: Connection, orgId: number): Promise<void> {
  const { count } = await transaction.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from smoothing_settings where org_id = ${orgId}`);
  if (count >= MOST_SETTINGS) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has ${MOST_SETTINGS.toLocaleString('en')} or more smoothing settings, the maximum; ` +
        'they stay in force; "Too many smoothing settings" in the runbook says how to make room',
    );
  }
}

interface Made {
  validFrom: Micros;
  /** Settings as JSON; null if the location had the same already. */
  change: { before: string | null; after: string } | null;
}

interface Newest {
  valid_from: Micros;
  setting: string;
  is_same: boolean;
}

interface Inserted {
  valid_from: Micros;
  after: string;
}

/** A setting as `smoothing show` has it. */
const AS_JSON = sql.fragment`json_build_object('mode', mode, 'window_seconds', window_seconds,
  'min_seconds', min_seconds, 'margin_db', margin_db,
  'valid_from', to_char(valid_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

function inSeconds(micros: Micros | null): number | null {
  return micros === null ? null : micros / MICROS_PER_SECOND;
}
