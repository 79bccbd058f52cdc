import { createHash } from 'node:crypto';
import { eachInTurns } from '../../../base/each-in-turns.ts';
import type { Micros } from '../../../base/instant.ts';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Workload } from './heavy-organizations.ts';
import {
  Plan,
  type PlanFault,
  type PlanParts,
  type Point,
  pixelsApart,
  type Scale,
  sizeInMetres,
} from './position.ts';
import { kindsIn } from './require-setting.ts';
import { type AntennaParts, type DatedSetting, Site, USUAL_TAG_DBM } from './site.ts';

/**
 * Reads the sites of organizations that have changed since this connection last did. Organizations that decide every
 * location by every scan are left out. Shared locks keep the settings until this transaction ends: a new setting waits
 * for that, and is then dated after every recorded scan.
 *
 * @param scans of these organizations; their locations are placed.
 * @throws TooHeavy if a new setting of one of them waits, and others would wait with it.
 */
export async function readSites(
  db: Connection,
  scans: readonly { orgId: number; locationId?: number }[],
  workload?: Pick<Workload, 'isBounded' | 'refuse'>,
): Promise<ReadonlyMap<number, Site>> {
  if (scans.length === 0) {
    return new Map();
  }
  const scansOf = Map.groupBy(scans, ({ orgId }) => orgId);
  // In order, since recorders would otherwise wait for each other behind two changes.
  const wanted = [...scansOf.keys()].sort((a, b) => a - b);
  // Two statements, sent together: a single one would read what was there before it got the lock.
  const [, versions] = await Promise.all([
    shareSettings(db, wanted, workload),
    db.any(sql.prepared('read-versions-of-sites', rowsOf<VersionRow>())`
      select org_id, version, layout from location_sites where org_id = any (${sql.binary(integers(wanted))}::integer[])`),
  ]);
  const known = keptOn(db);
  const sites = new Map<number, Site>();
  for (const { org_id: orgId, version, layout } of versions) {
    let site = known.get(orgId, { version, layout });
    if (site === undefined) {
      const former = known.ofLayout(orgId, layout);
      const begun = performance.now();
      site = former?.site.withSettings(await readSettings(db, orgId)) ?? (await readSite(db, orgId, layout));
      const { readAt, took } = former ?? { readAt: begun, took: performance.now() - begun };
      known.keep(orgId, { version, site, readAt, took });
    }
    if (Number.isFinite(site.since)) {
      sites.set(orgId, site);
    }
  }
  for (const [orgId, site] of sites) {
    await placeLocations(db, orgId, site, scansOf.get(orgId) ?? []);
  }
  return sites;
}

async function shareSettings(
  db: Connection,
  orgIds: readonly number[],
  workload: Pick<Workload, 'isBounded' | 'refuse'> | undefined,
): Promise<void> {
  if (workload?.isBounded !== true) {
    await db.exec(sql.prepared('share-location-settings', NO_ROWS)`
      select pg_advisory_xact_lock_shared(${ORGANIZATION_LOCKS.locating}::integer, org_id)
      from unnest(${sql.binary(integers(orgIds))}::integer[]) org_id`);
    return;
  }
  const changing = await db.any(sql.prepared('share-location-settings-at-once', rowsOf<{ org_id: number }>())`
    select org_id from unnest(${sql.binary(integers(orgIds))}::integer[]) org_id
    where not pg_try_advisory_xact_lock_shared(${ORGANIZATION_LOCKS.locating}::integer, org_id)`);
  for (const { org_id: orgId } of changing) {
    workload.refuse(orgId);
  }
}

interface VersionRow {
  org_id: number;
  version: number;
  layout: number;
}

interface Known {
  version: number;
  site: Site;
  /** Counted for it. */
  bytes: number;
  /** `performance.now()`. */
  readAt: number;
  /** Milliseconds. */
  took: number;
}

/** A site with large plans is read again for a twentieth of the time at most, however often something changes. */
function isRecent({ readAt, took }: Known): boolean {
  return took > QUICK_MS && performance.now() - readAt < 20 * took;
}

const QUICK_MS = 50;

/** By connection, because another may lead to another database. */
const kept = new WeakMap<Connection, KnownSites>();

function keptOn(db: Connection): KnownSites {
  const known = kept.get(db) ?? new KnownSites();
  kept.set(db, known);
  return known;
}

/** Whether the organization asked for proof when this connection last read its site. */
export function askedForProof(db: Connection, orgId: number): boolean {
  return Number.isFinite(keptOn(db).last(orgId)?.since);
}

/** Makes the site be read again, however recent it is. */
export function forgetSite(db: Connection, orgId: number): void {
  keptOn(db).remove(orgId);
}

/** By organization; the least recently used ones go if they are too large. */
class KnownSites {
  /** Last used last. */
  readonly #of = new Map<number, Known>();
  #bytes = 0;

  get(orgId: number, { version, layout }: Pick<VersionRow, 'version' | 'layout'>): Site | undefined {
    const known = this.ofLayout(orgId, layout);
    if (known?.version !== version) {
      return undefined;
    }
    this.keep(orgId, known);
    return known.site;
  }

  /** One of that layout, its settings perhaps out of date; or of another, if it was read too recently to be read again. */
  ofLayout(orgId: number, layout: number): Known | undefined {
    const known = this.#of.get(orgId);
    const isGood = known !== undefined && (known.site.layout === layout || isRecent(known));
    return isGood && !known.site.isFull ? known : undefined;
  }

  last(orgId: number): Site | undefined {
    return this.#of.get(orgId)?.site;
  }

  keep(orgId: number, known: Omit<Known, 'bytes'>): void {
    this.remove(orgId);
    // It may have grown since it was kept last.
    const { bytes } = known.site;
    this.#of.set(orgId, { ...known, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#of.keys()) {
      if (this.#bytes <= MOST_BYTES || oldest === orgId) {
        return;
      }
      this.remove(oldest);
    }
  }

  remove(orgId: number): void {
    this.#bytes -= this.#of.get(orgId)?.bytes ?? 0;
    this.#of.delete(orgId);
  }
}

const MOST_BYTES = 32 * 2 ** 20;

/** Without a lock, so the data may be newer than the layout; then it is read once more with the next one. */
export async function readSite(db: Connection, orgId: number, layout = 0): Promise<Site> {
  // One after the other, as a connection that does not pipeline wants them.
  return new Site({
    layout,
    isPlacing: true,
    settings: await readSettings(db, orgId),
    antennas: await readAntennas(db, orgId),
    plans: await readPlans(db, orgId),
  });
}

interface SettingRow {
  id: number;
  location_id: number | null;
  valid_from: Micros;
  procedure: 'every' | 'strength' | 'position' | 'inherit';
  certainty: number | null;
  tag_dbm: number | null;
  tag_kinds: string | null;
}

async function readSettings(db: Connection, orgId: number): Promise<DatedSetting[]> {
  const rows = await db.any(sql.prepared('read-location-settings', rowsOf<SettingRow>())`
    select id, location_id, micros_of_time(valid_from) as valid_from, procedure, certainty, tag_dbm, tag_kinds
    from location_settings where org_id = ${orgId}::integer order by id`);
  return rows.map(({ id, location_id: locationId, valid_from: validFrom, ...row }) => ({
    id,
    locationId,
    validFrom,
    setting: settingOf(row),
  }));
}

export function settingOf({
  procedure,
  certainty,
  tag_dbm: tagDbm,
  tag_kinds: tagKinds,
}: Omit<SettingRow, 'id' | 'location_id' | 'valid_from'>): DatedSetting['setting'] {
  switch (procedure) {
    case 'inherit':
      return 'inherit';
    case 'every':
      return { procedure };
    case 'strength':
      return { procedure, certainty: certainty ?? 1 };
    case 'position':
      return {
        ...{ procedure, certainty: certainty ?? 1, tagDbm: tagDbm ?? USUAL_TAG_DBM },
        tagKinds: tagKinds === null ? undefined : kindsIn(tagKinds),
      };
  }
}

/**
 * Places the locations of scans at a site, with all above them, including deleted ones, whose history stays. Each is
 * looked up once, by its key.
 */
export async function placeLocations(
  db: Connection,
  orgId: number,
  site: Site | undefined,
  scans: readonly { locationId?: number }[],
): Promise<void> {
  const unplaced = site?.unplaced(scans) ?? [];
  if (site === undefined || unplaced.length === 0) {
    return;
  }
  const rows = await db.any(sql.prepared(
    'read-locations-above',
    rowsOf<{ id: number; parent_id: number | null }>(),
  )`
    with recursive above (id, parent_id) as (
      select location.id, location.parent_id
      from unnest(${sql.binary(integers(unplaced))}::integer[]) as wanted (id)
      cross join lateral (
        select id, parent_id from locations where org_id = ${orgId}::integer and id = wanted.id offset 0
      ) location
      union
      select location.id, location.parent_id
      from above
      cross join lateral (
        select id, parent_id from locations where org_id = ${orgId}::integer and id = above.parent_id offset 0
      ) location
    )
    select id, parent_id from above`);
  site.place(rows.map(({ id, parent_id: parentId }) => [id, parentId]));
}

async function readAntennas(db: Connection, orgId: number): Promise<AntennaParts[]> {
  const rows = await db.any(sql.prepared('read-offsets-of-antennas', rowsOf<AntennaRow>())`
    select reader_id, port, offset_db, height_m from antennas
    where org_id = ${orgId}::integer and (offset_db <> 0 or height_m <> 1)`);
  return rows.map(({ reader_id: readerId, port: antenna, offset_db: offsetDb, height_m: heightM }) => ({
    ...{ readerId, antenna, offsetDb, heightM },
  }));
}

interface AntennaRow {
  reader_id: number;
  port: number;
  offset_db: number;
  height_m: number;
}

interface PlanRow {
  location_id: number;
  width: number;
  height: number;
  /** JSON text, as are places and pins. */
  scale_points: string;
  scale_metres: number;
  places: string;
  pins: string;
}

/** Usable plans, in metres. Outlines of deleted locations are left out: nothing can arrive there. */
export async function readPlans(db: Connection, orgId: number): Promise<PlanParts[]> {
  const rows = await db.any(sql.prepared('read-plans-with-scale', rowsOf<PlanRow>())`
    select ${COLUMNS} from plans plan
    where plan.org_id = ${orgId}::integer and plan.scale_metres is not null and plan.location_id is not null
    order by plan.id`);
  const plans = await eachInTurns(rows, toPlan);
  return plans.filter((plan) => plan !== null && Plan.faultOf(plan) === null) as PlanParts[];
}

/** Why a plan with a scale is not used to decide by position. */
export async function faultOfPlan(db: Connection, orgId: number, id: number): Promise<PlanFault | null> {
  const row = await db.maybeOne(sql.type(rowsOf<PlanRow>())`
    select ${COLUMNS} from plans plan where plan.org_id = ${orgId} and plan.id = ${id}
      and plan.scale_metres is not null and plan.location_id is not null`);
  const plan = row === null ? null : toPlan(row);
  return plan === null ? null : Plan.faultOf(plan);
}

const COLUMNS = sql.fragment`plan.location_id, plan.width, plan.height,
  to_json(plan.scale_points)::text as scale_points, plan.scale_metres,
  (select coalesce(json_agg(json_build_array(place.location_id, place.points) order by place.location_id), '[]')::text
    from plan_places place
    join locations location on location.org_id = place.org_id and location.id = place.location_id
    where place.org_id = plan.org_id and place.plan_id = plan.id and location.deleted_at is null) as places,
  (select coalesce(json_agg(json_build_array(pin.reader_id, pin.port, pin.x, pin.y)), '[]')::text
    from plan_antennas pin where pin.org_id = plan.org_id and pin.plan_id = plan.id) as pins`;

/** @returns null if both points of its scale are the same. */
function toPlan({ location_id: locationId, width, height, ...row }: PlanRow): PlanParts | null {
  const [x1, y1, x2, y2] = JSON.parse(row.scale_points) as [number, number, number, number];
  const scale: Scale = {
    points: [
      [x1, y1],
      [x2, y2],
    ],
    metres: row.scale_metres,
  };
  if (pixelsApart({ width, height }, scale) === 0) {
    return null;
  }
  const size = sizeInMetres({ width, height }, scale);
  const inMetres = (x: number, y: number): Point => ({ x: x * size.width, y: y * size.height });
  const places = placesInUse.get(`${row.places} ${size.width} ${size.height}`, () =>
    (JSON.parse(row.places) as [number, number[]][]).map(([id, points]) => ({
      locationId: id,
      corners: Array.from({ length: points.length / 2 }, (_, index) =>
        inMetres(points[2 * index] as number, points[2 * index + 1] as number),
      ),
    })),
  );
  // So that this is found out here, in turns.
  Plan.faultOf({ places });
  const pins = JSON.parse(row.pins) as [number, number, number, number][];
  return {
    locationId,
    places,
    antennas: pins.map(([readerId, antenna, x, y]) => ({ readerId, antenna, ...inMetres(x, y) })),
  };
}

/**
 * The places that sites of this process have in memory, by a digest of their text. All connections share them, and the cells
 * that are found in them once (`position.ts`).
 */
class PlacesInUse {
  readonly #of = new Map<string, WeakRef<PlanParts['places']>>();
  readonly #gone = new FinalizationRegistry<string>((digest) => {
    if (this.#of.get(digest)?.deref() === undefined) {
      this.#of.delete(digest);
    }
  });

  get(text: string, read: () => PlanParts['places']): PlanParts['places'] {
    const digest = createHash('sha256').update(text).digest('base64');
    const known = this.#of.get(digest)?.deref();
    if (known !== undefined) {
      return known;
    }
    const places = read();
    this.#of.set(digest, new WeakRef(places));
    this.#gone.register(places, digest);
    return places;
  }
}

const placesInUse = new PlacesInUse();
