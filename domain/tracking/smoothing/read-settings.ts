import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { locatingSlot, ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type DatedSmoothing, MOST_SETTINGS, SmoothingSettings } from './settings.ts';

/**
 * Reads the settings by organization, if they changed since this connection last did; those without any are left out. Shared locks keep them as they are until this
 * transaction ends: a new setting waits for it, and is then dated after every scan that was recorded.
 */
export async function readSmoothing(
  db: Connection,
  orgIds: readonly number[],
): Promise<ReadonlyMap<number, SmoothingSettings>> {
  if (orgIds.length === 0) {
    return new Map();
  }
  const wanted = [...new Set(orgIds)];
  // In order, since recorders would otherwise wait for each other behind two changes.
  const slots = [...new Set(wanted.map(locatingSlot))].sort((a, b) => a - b);
  const known = keptOn(db);
  const newest = wanted.map((orgId) => known.get(orgId)?.newest ?? NONE);
  // Two statements, sent together: a single one would read what was there before it got the lock.
  const [, rows] = await Promise.all([
    db.exec(sql.prepared('share-smoothing', NO_ROWS)`
      select pg_advisory_xact_lock_shared(${ORGANIZATION_LOCKS.locating}::integer, slot)
      from unnest(${sql.binary(integers(slots))}::integer[]) slot`),
    db.any(sql.prepared('read-smoothing', rowsOf<SmoothingRow | NoSettingRow>())`
      select asked.org_id, newest.id as newest, made.location_id, micros_of_time(made.valid_from) as valid_from,
        made.mode, made.window_seconds, made.min_seconds, made.margin_db
      from unnest(${sql.binary(integers(wanted))}::integer[], ${sql.binary(integers(newest))}::integer[])
        asked (org_id, newest)
      cross join lateral (
        select coalesce(max(id), ${NONE}::integer) as id from smoothing_settings where org_id = asked.org_id
      ) newest
      left join smoothing_settings made on made.org_id = asked.org_id and newest.id <> asked.newest
      order by made.id`),
  ]);
  const read = new Map<number, SmoothingSettings>();
  for (const [orgId, own] of Map.groupBy(rows, ({ org_id: id }) => id)) {
    const ofOrganization = asKnown(known.get(orgId), own);
    known.keep(orgId, ofOrganization);
    if (ofOrganization.settings.dated.length > 0) {
      read.set(orgId, ofOrganization.settings);
    }
  }
  return read;
}

/** Settings are only ever added, so those of an organization are the ones known while the newest is the same. */
interface Known {
  newest: number;
  settings: SmoothingSettings;
}

/** Stands for the id of the newest setting where there is none. */
const NONE = 0;

/** By connection, since another may lead to another database. */
const kept = new WeakMap<Connection, KnownSettings>();

function keptOn(db: Connection): KnownSettings {
  const known = kept.get(db) ?? new KnownSettings();
  kept.set(db, known);
  return known;
}

/** By organization; those used longest ago go once there are too many. */
class KnownSettings {
  /** Last used last. */
  readonly #of = new Map<number, Known>();
  #size = 0;

  get(orgId: number): Known | undefined {
    return this.#of.get(orgId);
  }

  keep(orgId: number, known: Known): void {
    this.#remove(orgId);
    this.#of.set(orgId, known);
    this.#size += sizeOf(known);
    for (const oldest of this.#of.keys()) {
      if (this.#size <= MOST_KEPT) {
        return;
      }
      this.#remove(oldest);
    }
  }

  #remove(orgId: number): void {
    const known = this.#of.get(orgId);
    this.#size -= known === undefined ? 0 : sizeOf(known);
    this.#of.delete(orgId);
  }
}

/** Settings that a connection keeps; some 300 bytes each. An organization counts as one more. */
const MOST_KEPT = 10 * MOST_SETTINGS;

function sizeOf({ settings }: Known): number {
  return 1 + settings.dated.length;
}

function asKnown(known: Known | undefined, rows: readonly (SmoothingRow | NoSettingRow)[]): Known {
  const newest = rows[0]?.newest ?? NONE;
  return known?.newest === newest
    ? known
    : {
        newest,
        settings: new SmoothingSettings(rows.flatMap((row) => (row.mode === null ? [] : toDated(row)))),
      };
}

interface SmoothingRow {
  org_id: number;
  newest: number;
  location_id: number | null;
  valid_from: Micros;
  mode: 'on' | 'off' | 'inherit';
  window_seconds: number | null;
  min_seconds: number | null;
  margin_db: number | null;
}

/** Of an organization without settings, or with those that are known. */
interface NoSettingRow {
  org_id: number;
  newest: number;
  mode: null;
}

function toDated(row: SmoothingRow): DatedSmoothing {
  const {
    location_id: locationId,
    valid_from: validFrom,
    mode,
    window_seconds: window,
    min_seconds: min,
  } = row;
  return {
    locationId,
    validFrom,
    smoothing:
      mode === 'on'
        ? {
            window: (window ?? 0) * MICROS_PER_SECOND,
            minimum: min === null ? null : min * MICROS_PER_SECOND,
            margin: row.margin_db,
          }
        : mode,
  };
}
