import { databaseOn } from '../../db/timescale/connections/database.ts';
import {
  type OrganizationDatabase,
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { sealBatch } from '../../domain/moves/sealing/seal-batch.ts';
import { type Known, requireKnown } from '../../domain/reports/known/known-at.ts';
import type { Transition } from '../../domain/tracking/history/history.ts';
import { type APast, type AQuestion, ASSETS, PLACES, takenBackAfter } from './a-past.ts';
import type { TestDatabase } from './database.ts';
import { aRead } from './recording.ts';
import { historyByDefinition } from './sightings.ts';
import { Site } from './site.ts';
import { SubmittedScans } from './submitted-scans.ts';

/** Microseconds between the instants at which anything happens, and nothing that milliseconds show exactly. */
const STEP = 700_001;

/** A past as it was recorded in an organization of its own, and what follows from it by the rules alone. */
export class RecordedPast {
  readonly db: OrganizationDatabase;
  readonly start: number;
  readonly assets: readonly { id: number; key: string; deletedAt: number | null }[];
  readonly places: readonly { id: number; key: string }[];
  readonly #past: APast;
  /** After each batch, by the database's clock. */
  readonly #recorded: readonly number[];

  private constructor(
    past: APast,
    made: Pick<RecordedPast, 'db' | 'start' | 'assets' | 'places'> & { recorded: readonly number[] },
  ) {
    this.#past = past;
    this.#recorded = made.recorded;
    this.db = made.db;
    this.start = made.start;
    this.assets = made.assets;
    this.places = made.places;
  }

  static async record(database: TestDatabase, door: OrganizationDoor, past: APast): Promise<RecordedPast> {
    const site = await Site.create(database);
    const start = (await clock(database)) - 7_200_000_000;
    const timeOf = (instant: number) => start + instant * STEP;
    const [places, assets] = [[] as { id: number; key: string }[], [] as { id: number; key: string }[]];
    for (let place = 0; place < PLACES; place++) {
      const key = `PLACE-${(place * 3) % PLACES}`;
      places.push({ id: await site.location(key), key });
    }
    for (let asset = 0; asset < ASSETS; asset++) {
      const key = `ASSET-${(asset * 2) % ASSETS}`;
      assets.push({ id: await site.asset(key, `tag-${site.orgId}-${asset}`), key });
    }
    const recorded: number[] = [];
    const madeAfter = Math.min(past.madeAfter, past.batches.length - 1);
    const submitted = await SubmittedScans.create(database, site.orgId);
    for (const [batch, { reads, isSealed }] of past.batches.entries()) {
      const receivedAt = await clock(database);
      await submitted.record(
        batch,
        reads.map(({ asset, place, at }) =>
          aRead({
            orgId: site.orgId,
            readerId: place + 1,
            value: `tag-${site.orgId}-${asset}`,
            locationId: places[place]?.id ?? 0,
            at: timeOf(at),
            receivedAt,
          }),
        ),
        (index) => reads[index]?.isByHandheld === true,
      );
      for (const each of takenBackAfter(past, batch)) {
        await submitted.takeBack(each.batch, each.read, receivedAt);
      }
      if (isSealed) {
        await sealBatch(databaseOn(database.pool), [{ orgId: site.orgId, after: 0, share: 1_000 }]);
      }
      recorded.push(await clock(database));
      if (batch === madeAfter) {
        assets.push({ id: await site.asset('NEVER-SEEN'), key: 'NEVER-SEEN' });
      }
    }
    // The first version of each says where it was at first.
    await database.rows(
      `update location_versions set since = time_of_micros($2) - interval '1 hour' where org_id = $1`,
      [site.orgId, start],
    );
    for (const { place, below, at } of past.moved) {
      await database.rows(
        `insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
         values ($1, $2, time_of_micros($3), 'ANY', 'Any', $4, false)
         on conflict (org_id, location_id, since) do update set parent_id = excluded.parent_id`,
        [site.orgId, places[place]?.id, timeOf(at), below < place ? places[below]?.id : null],
      );
    }
    const late = await clock(database);
    const deletedAt = past.deleted.map((at) => (at === null ? null : at === 'late' ? late : timeOf(at)));
    for (const [asset, at] of deletedAt.entries()) {
      await database.rows('update assets set deleted_at = time_of_micros($2) where id = $1', [
        assets[asset]?.id,
        at,
      ]);
    }
    return new RecordedPast(past, {
      db: door.of(site.orgId),
      start,
      assets: assets.map((asset, index) => ({ ...asset, deletedAt: deletedAt[index] ?? null })),
      places,
      recorded,
    });
  }

  timeOf(instant: number): number {
    return this.start + instant * STEP;
  }

  filtersOf({ assets, places, byKey, include_descendants, include_deleted }: AQuestion) {
    const named = <Thing extends { id: number; key: string }>(
      numbers: readonly number[] | null,
      all: readonly Thing[],
    ) => numbers?.map((number) => all[number] as Thing);
    const [ofAssets, ofPlaces] = [named(assets, this.assets), named(places, this.places)];
    return {
      asset_id: byKey ? undefined : ofAssets?.map(({ id }) => id),
      asset_external_key: byKey ? ofAssets?.map(({ key }) => key) : undefined,
      location_id: byKey ? undefined : ofPlaces?.map(({ id }) => id),
      location_external_key: byKey ? ofPlaces?.map(({ key }) => key) : undefined,
      include_descendants,
      include_deleted,
    };
  }

  /** Times asked about are long before. */
  async known({ knownBatches }: AQuestion): Promise<Known | null> {
    const at = this.recordedBy(knownBatches);
    return at === null ? null : requireKnown(this.db, { at, before: at + 1 }, {});
  }

  recordedBy(knownBatches: number | null): number | null {
    return knownBatches === null ? null : (this.#recorded[knownBatches] ?? this.#recorded.at(-1) ?? 0);
  }

  /** The reads of an asset that had been received and not been taken back, in no order. */
  #reads(asset: number, knownBatches: number | null) {
    const batches = this.#past.batches.slice(0, knownBatches === null ? undefined : knownBatches + 1);
    const takenBack = batches.flatMap((_, batch) => takenBackAfter(this.#past, batch));
    return batches.flatMap(({ reads }, batch) =>
      reads.filter(
        (read, index) =>
          read.asset === asset && !takenBack.some((each) => each.batch === batch && each.read === index),
      ),
    );
  }

  history(asset: number, knownBatches: number | null): Transition[] {
    return historyByDefinition(
      this.#reads(asset, knownBatches).map(({ place, at }) => ({
        observedAt: this.timeOf(at),
        locationId: this.places[place]?.id ?? 0,
        rssi: null,
      })),
    );
  }

  lastSeen(asset: number, until: number, knownBatches: number | null): number {
    const times = this.#reads(asset, knownBatches).map(({ at }) => this.timeOf(at));
    return Math.max(...times.filter((time) => time < until));
  }

  /** Whether an asset had been made. */
  isMade(asset: number, knownBatches: number | null): boolean {
    const last = this.#past.batches.length - 1;
    return (
      asset < ASSETS ||
      knownBatches === null ||
      Math.min(knownBatches, last) > Math.min(this.#past.madeAfter, last)
    );
  }

  deletedAt(asset: number, knownBatches: number | null): number | null {
    const [at, known] = [this.assets[asset]?.deletedAt ?? null, this.recordedBy(knownBatches)];
    return at !== null && (known === null || at <= known) ? at : null;
  }

  isAskedFor({ assets }: AQuestion, asset: number): boolean {
    return assets === null || assets.includes(asset);
  }

  /** Whether a place counts at an instant. */
  counts({ places, include_descendants }: AQuestion, locationId: number, at: number): boolean {
    if (places === null) {
      return true;
    }
    let place: number | null = this.places.findIndex(({ id }) => id === locationId);
    while (place !== null) {
      if (places.includes(place)) {
        return true;
      }
      place = include_descendants ? this.#parentAt(place, at) : null;
    }
    return false;
  }

  #parentAt(place: number, at: number): number | null {
    return this.parentsOf(place).findLast(({ since }) => since <= at)?.parent ?? null;
  }

  /** What a place was below, since when; of what was said of one instant the last counts. */
  parentsOf(place: number): { since: number; parent: number | null }[] {
    const moves = this.#past.moved.filter((move) => move.place === place);
    return [
      { since: Number.NEGATIVE_INFINITY, parent: null },
      ...moves
        .toSorted((a, b) => a.at - b.at)
        .map(({ at, below }) => ({ since: this.timeOf(at), parent: below < place ? below : null })),
    ];
  }

  /** Every instant at which the tree changed. */
  treeChanges(): number[] {
    return this.#past.moved.map(({ at }) => this.timeOf(at));
  }
}

export function openDoor(database: TestDatabase): OrganizationDoor {
  const door = openOrganizationDoor(database.url, { max: 4 });
  database.beforeDrop(() => door.end());
  return door;
}

async function clock(database: TestDatabase): Promise<number> {
  const [row] = await database.rows<{ now: number }>('select micros_of_time(clock_timestamp()) as now');
  return row?.now ?? 0;
}

/** All pages of a list, as one. */
export async function allPages<Row>(
  limit: number,
  read: (paging: { limit: number; offset: number }) => Promise<{ rows: readonly Row[]; totalCount: number }>,
): Promise<{ rows: Row[]; totalCount: number }> {
  const rows: Row[] = [];
  for (;;) {
    const page = await read({ limit, offset: rows.length });
    rows.push(...page.rows);
    if (page.rows.length < limit) {
      return { rows, totalCount: page.totalCount };
    }
  }
}
