import type { Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { findByIndexes, inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { isChange } from '../feed/unsealed-move.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import { revision } from '../history-changes.ts';
import { locationsBelow } from '../location/locations-below.ts';
import { readSites } from '../location/read-site.ts';
import { Site } from '../location/site.ts';
import { bucketOf } from '../location/stated-locations.ts';
import { endOfBucket, neighbourhoodsOfStretches } from '../location/stated-neighbourhoods.ts';
import { lockPositions } from '../positions.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import { type Recomputable, recomputable } from './recomputable.ts';

/** The scope of a recomputation: what a past setting decides, or a whole organization. */
export interface Recomputation {
  orgId: number;
  /** {@link ALL} for all. */
  settingId: number;
}

export const ALL = 0;

export interface RecomputedSoFar extends Omit<Recomputed, 'unsealed'> {
  orgId: number;
  /** Recomputed so far, by all processes. */
  assets: number;
  /** Of these, assets with a changed history. */
  changed: number;
  /** Visited so far, including those without a scan that the setting decides. */
  looked: number;
  /** The number of assets to visit, counted at the beginning. */
  of: number;
}

export interface Recomputing {
  settingId?: number;
  /** Null for all assets. */
  assetId?: number | null;
  /** Counts, and writes nothing, not even the progress. */
  isDry?: boolean;
  /** Stops after the current asset. */
  signal?: AbortSignal | undefined;
  onProgress?(sofar: RecomputedSoFar): void;
  /** Called after commits that changed the feeds of these organizations. */
  onMoves?(orgIds: readonly number[]): void;
}

/**
 * Recomputes histories of an organization, asset by asset in the order of their ids. The progress is stored, so that an
 * interrupted run is continued there, and several may take part.
 *
 * @returns `isFinished` is false if it was aborted.
 */
export async function recomputeOrganization(
  pool: Pool,
  orgId: number,
  options: Recomputing = {},
): Promise<RecomputedOrganization> {
  const steps = stepsOfRecomputing(pool, orgId, options);
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done === true) {
      return step.value;
    }
  }
}

export type RecomputedOrganization = RecomputedSoFar & { isFinished: boolean };

/** The same, a piece of an asset at each step: one that is read a thousand times a second takes hours. */
export async function* stepsOfRecomputing(
  pool: Pool,
  orgId: number,
  { settingId = ALL, assetId = null, isDry = false, signal, onProgress, onMoves }: Recomputing = {},
): AsyncGenerator<void, RecomputedOrganization> {
  const scope = await scopeOf(pool, { orgId, settingId }, assetId);
  const isKept = assetId === null && !isDry;
  let progress = isKept ? await begin(pool, scope) : { ...NONE_YET, of: await countAssets(pool, scope) };
  while (!progress.is_finished) {
    const page = await nextAssets(pool, scope, progress.last);
    let step = NO_STEP;
    for (const [index, { asset_id: id, is_wanted: isWanted }] of page.entries()) {
      step = { ...step, looked: step.looked + 1 };
      if (isWanted) {
        const { unsealed, ...rows } = yield* stepsOfAsset(pool, { orgId, assetId: id }, isDry);
        step = { ...step, ...rows, assets: 1, changed: Number(rows.written + rows.removed > 0) };
        if (unsealed > 0) {
          onMoves?.([orgId]);
        }
      } else if (index < page.length - 1) {
        continue;
      }
      progress = isKept
        ? ((await keep(pool, scope, { ...step, from: progress.last, to: id })) ?? gone(progress))
        : added(progress, step, id);
      step = NO_STEP;
      onProgress?.(shown(orgId, progress));
      yield;
      if (progress.is_finished || progress.last !== id) {
        break;
      }
      if (signal?.aborted === true) {
        return { ...shown(orgId, progress), isFinished: false };
      }
    }
    if (page.length === 0) {
      progress = (isKept ? await finish(pool, scope, progress.last) : null) ?? gone(progress);
    }
  }
  return { ...shown(orgId, progress), isFinished: true };
}

interface Progress extends Step {
  /** The last asset that was looked at. */
  last: number;
  of: number;
  is_finished: boolean;
}

interface Step extends Omit<Recomputed, 'unsealed'> {
  looked: number;
  assets: number;
  changed: number;
}

const NO_STEP: Step = { looked: 0, assets: 0, changed: 0, written: 0, removed: 0 };
const NONE_YET = { ...NO_STEP, last: 0, is_finished: false };

function gone(progress: Progress): Progress {
  return { ...progress, is_finished: true };
}

function added(progress: Progress, step: Step, last: number): Progress {
  return {
    ...{ of: progress.of, is_finished: false, last },
    looked: progress.looked + step.looked,
    assets: progress.assets + step.assets,
    changed: progress.changed + step.changed,
    written: progress.written + step.written,
    removed: progress.removed + step.removed,
  };
}

function shown(orgId: number, { assets, changed, written, removed, looked, of }: Progress): RecomputedSoFar {
  return { orgId, assets, changed, written, removed, looked, of };
}

interface Scope extends Recomputation {
  assetId: number | null;
  /** Only assets read there or below are recomputed; null for all. */
  locationId: number | null;
  /** Assets that a person scanned, too: from the first setting that asks for proof on, such scans come first at their instant. */
  isFirst: boolean;
  /** Only those seen since. */
  from: Micros | null;
}

async function scopeOf(
  db: Connection,
  { orgId, settingId }: Recomputation,
  assetId: number | null,
): Promise<Scope> {
  const row = await db.maybeOne(sql.type(
    rowsOf<{ location_id: number | null; from: Micros; is_first: boolean }>(),
  )`
    select location_id, micros_of_time(valid_from) as "from", id is not distinct from (
        select id from location_settings
        where org_id = ${orgId} and procedure in ('strength', 'position')
        order by valid_from, id limit 1
      ) as is_first
    from location_settings where org_id = ${orgId} and id = ${settingId}`);
  return {
    ...{ orgId, settingId, assetId, locationId: row?.location_id ?? null, from: row?.from ?? null },
    isFirst: row?.is_first ?? false,
  };
}

const COLUMNS = sql.fragment`asset_id as last, looked, assets, changed, written, removed,
  coalesce(asset_count, 0) as of, finished_at is not null as is_finished`;

/** The progress of an interrupted run. All is recomputed as often as asked; for a setting once. */
async function begin(db: Connection, scope: Scope): Promise<Progress> {
  const { orgId, settingId } = scope;
  const count = await countAssets(db, scope);
  await db.exec(sql.type(NO_ROWS)`
    update history_recomputations set asset_id = default, looked = default, assets = default, changed = default,
      written = default, removed = default, asset_count = default, finished_at = null
    where org_id = ${orgId} and setting_id = ${settingId} and setting_id = ${ALL} and finished_at is not null`);
  return db.one(sql.type(rowsOf<Progress>())`
    insert into history_recomputations as kept (org_id, setting_id, asset_count)
    values (${orgId}, ${settingId}, ${count})
    on conflict (org_id, setting_id) do update set asset_count = coalesce(kept.asset_count, excluded.asset_count)
    returning ${COLUMNS}`);
}

/**
 * Adds a step. Two processes may each have changed a piece of one asset, so no more count as changed than were recomputed.
 *
 * @returns the total progress; its `last` is not `to` if another process went on meanwhile. Null if the organization is
 * gone, as for {@link finish}.
 */
function keep(
  db: Connection,
  { orgId, settingId }: Recomputation,
  { from, to, ...step }: Step & { from: number; to: number },
): Promise<Progress | null> {
  return db.maybeOne(sql.prepared('keep-recomputation', rowsOf<Progress>())`
    update history_recomputations set
      asset_id = case when asset_id = ${from}::integer then ${to}::integer else asset_id end,
      looked = looked + case when asset_id = ${from}::integer then ${step.looked}::integer else 0 end,
      assets = assets + case when asset_id = ${from}::integer then ${step.assets}::integer else 0 end,
      changed = least(changed + ${step.changed}::integer,
        assets + case when asset_id = ${from}::integer then ${step.assets}::integer else 0 end),
      written = written + ${step.written}::bigint, removed = removed + ${step.removed}::bigint
    where org_id = ${orgId}::integer and setting_id = ${settingId}::integer
    returning ${COLUMNS}`);
}

/** Unless another process went on meanwhile. */
function finish(db: Connection, { orgId, settingId }: Recomputation, last: number): Promise<Progress | null> {
  return db.maybeOne(sql.type(rowsOf<Progress>())`
    update history_recomputations
    set finished_at = case when asset_id = ${last} then coalesce(finished_at, now()) else finished_at end
    where org_id = ${orgId} and setting_id = ${settingId}
    returning ${COLUMNS}`);
}

async function countAssets(db: Connection, { orgId, assetId, from }: Scope): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from positions where org_id = ${orgId} and ${isLookedAt({ assetId, from })}`);
  return count;
}

/** `limit` in the subquery makes PostgreSQL look up each asset on its own: a join might read all scans since. */
function nextAssets(
  db: Connection,
  { orgId, assetId, locationId, isFirst, from }: Scope,
  after: number,
): Promise<readonly { asset_id: number; is_wanted: boolean }[]> {
  const isWanted =
    locationId === null
      ? sql.fragment`true`
      : sql.fragment`coalesce((
          select true from scan_events scan
          where scan.org_id = position.org_id and scan.asset_id = position.asset_id
            and scan.observed_at >= time_of_micros(${from}::bigint)
            and (scan.location_id in ${locationsBelow(orgId, locationId)} or ${isFirst} and scan.handheld_id is not null)
          limit 1
        ), false)`;
  return db.any(sql.type(rowsOf<{ asset_id: number; is_wanted: boolean }>())`
    select asset_id, ${isWanted} as is_wanted from positions position
    where org_id = ${orgId} and asset_id > ${after} and ${isLookedAt({ assetId, from })}
    order by asset_id limit 50`);
}

function isLookedAt({ assetId, from }: Pick<Scope, 'assetId' | 'from'>): FragmentSqlToken {
  return sql.fragment`(${assetId}::integer is null or asset_id = ${assetId}::integer)
    and (${from}::bigint is null or last_seen >= time_of_micros(${from}::bigint))`;
}

/** Rows of history; written ones are new, or have another location or duration. */
interface Recomputed {
  written: number;
  removed: number;
  /** Changes for which the sealer must be woken. */
  unsealed: number;
}

/**
 * Computes an asset's history and position again from the kept raw scans, in pieces of some thousand scans, each in a
 * transaction that locks the asset as a recorder does. Correct rows are left alone, so it may be interrupted and
 * restarted at any time.
 *
 * @param isDry counts, and writes nothing. A change across the end of a piece may be counted twice.
 */
async function* stepsOfAsset(pool: Pool, asset: AssetRef, isDry: boolean): AsyncGenerator<void, Recomputed> {
  const total = { written: 0, removed: 0, unsealed: 0 };
  for (let before: Before | null = { end: Number.NEGATIVE_INFINITY, known: null }; before !== null; ) {
    const last: Before = before;
    const { recomputed, next } = await inTransaction(pool, async (client) => {
      const piece = await recomputePiece(client, asset, last);
      if (isDry) {
        await client.exec(sql.type(NO_ROWS)`rollback`);
        await client.exec(sql.type(NO_ROWS)`begin`);
      }
      return piece;
    });
    total.written += recomputed.written;
    total.removed += recomputed.removed;
    total.unsealed += isDry ? 0 : recomputed.unsealed;
    before = next;
    yield;
  }
  return total;
}

/** Scans in a transaction; some 30 ms. */
const PIECE = 4_096;

interface Before {
  end: Micros;
  known: Recomputable | null;
}

const WITHOUT_SETTINGS = new Site({ settings: [] });

async function recomputePiece(
  client: Client,
  asset: AssetRef,
  before: Before,
): Promise<{ recomputed: Recomputed; next: Before | null }> {
  await Promise.all([
    findByIndexes(client),
    // Keeps scans from being dropped between two statements.
    client.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.sweep})`),
  ]);
  const [position] = await lockPositions(client, [asset]);
  const known = await recomputable(client, asset, before.known);
  const sites = await readSites(client, [asset]);
  const site = sites.get(asset.orgId) ?? WITHOUT_SETTINGS;
  const nothing = { recomputed: { written: 0, removed: 0, unsealed: 0 }, next: null };
  if (position === undefined || position.lastSeen === null || known === null) {
    return nothing;
  }
  const start = Math.max(known.from, before.end + 1);
  const stored = storedTracking(client, sites);
  const [last = null] = await stored.scansAhead([{ ...asset, from: start - 1, to: start - 1 }], PIECE);
  if (last === null) {
    return nothing;
  }
  const end = endOfBucket(bucketOf(last));
  const { lastSeen, positionAt } = position;
  const neighbourhoods = await neighbourhoodsOfStretches(
    stored,
    [{ ...asset, lastSeen, positionAt, site }],
    [{ ...asset, from: start, to: end }],
  );
  const change = revision(position, neighbourhoods.get(assetKey(asset)) ?? { spans: [], stored: [] }, []);
  const { stay, newest } = change.position;
  const isAny = change.put.length > 0 || newest !== undefined || isChange({ ...change, stay });
  const unsealed = isAny ? await writeChanges(client, [change]) : 0;
  const { added, removed, changed } = change.rows;
  const written = added.length + changed.length;
  return { recomputed: { written, removed: removed.length, unsealed }, next: { end, known } };
}
