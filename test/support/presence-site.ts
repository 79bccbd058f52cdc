import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { wireTimeOfMicros } from '../../base/timestamps.ts';
import type { OrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from '../../domain/messages/load-readers.ts';
import type { DatedWatch } from '../../domain/presence/coverage/watches.ts';
import { listPresence, type PresenceFilters } from '../../domain/reports/presence/list-presence.ts';
import type { TestDatabase } from './database.ts';
import { messageOf, recordAll } from './messages-of.ts';
import { Site } from './site.ts';
import { storeSweepBy } from './stored-sweep.ts';

export const BEGINNING: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;

/** Of seconds since {@link BEGINNING}. */
export const at = (second: number): Micros => BEGINNING + second * MICROS_PER_SECOND;

/** Reads of some assets by a reader, both by index, received later than they were made. Times in seconds. */
export interface Delivered {
  reader: number;
  at: number;
  receivedAt: number;
  assets: readonly number[];
}

/** An organization with locations, readers and assets, each known by its index; all were there before. */
export class PresenceSite {
  readonly places: number[] = [];
  readonly readers: RegisteredReader[] = [];
  readonly assets: number[] = [];
  readonly orgId: number;
  readonly #database: TestDatabase;

  private constructor(database: TestDatabase, orgId: number) {
    this.#database = database;
    this.orgId = orgId;
  }

  /** @param readerPlaces where each reader's antenna is. */
  static async create(
    database: TestDatabase,
    { places, readerPlaces, assets }: { places: number; readerPlaces: readonly number[]; assets: number },
  ): Promise<PresenceSite> {
    const site = await Site.create(database);
    const made = new PresenceSite(database, site.orgId);
    for (let place = 0; place < places; place++) {
      made.places.push(await site.location(`PLACE-${place}`));
    }
    const ids = [];
    for (const [reader, place] of readerPlaces.entries()) {
      ids.push(await site.reader(`${site.orgId}/${reader}`, [made.places[place] ?? null]));
    }
    for (let asset = 0; asset < assets; asset++) {
      made.assets.push(await site.asset(`ASSET-${String(asset).padStart(3, '0')}`, tagOf(asset)));
    }
    await database.rows('update antenna_versions set since = time_of_micros($2) where org_id = $1', [
      ...[site.orgId, at(-10_000)],
    ]);
    const registered = [...(await loadReaders(database.pool, loadBuiltinFormats()))];
    made.readers.push(
      ...ids.map((id) => registered.find(({ readerId }) => readerId === id) as RegisteredReader),
    );
    return made;
  }

  /** `from` in seconds, `maxGap` too. */
  async watch(place: number, { from, mode, maxGap, coverage }: DatedWatch): Promise<void> {
    await this.#database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, time_of_micros($3), $4, $5, $6, $7)`,
      [
        ...[this.orgId, this.places[place], at(from), mode, maxGap],
        ...[mode === 'continuous' && maxGap === null, coverage],
      ],
    );
  }

  /** A minute long. */
  async sweep(id: string, place: number, endedAt: number, missing: readonly number[]): Promise<void> {
    const assets = missing.map((asset) => this.assets[asset] ?? 0);
    await storeSweepBy(
      this.#database,
      { orgId: this.orgId, handheld: 'Early shift' },
      {
        ...{ id, locationId: this.places[place] ?? 0, endedAt: wireTimeOfMicros(at(endedAt)) },
        ...{ expected: assets, missing: assets },
      },
    );
  }

  /** In one commit. */
  async deliver(messages: readonly Delivered[]): Promise<void> {
    await recordAll(
      this.#database.pool,
      messages.map(({ reader, at: read, receivedAt, assets }) =>
        messageOf(
          this.readers[reader] as RegisteredReader,
          at(receivedAt),
          assets.length === 0 ? [] : [at(read)],
          assets.map(tagOf),
        ),
      ),
    );
  }

  async list(door: OrganizationDoor, second: number, filters: Partial<PresenceFilters> = {}) {
    const page = await listPresence(door.of(this.orgId), at(second), {
      ...{ limit: 200, offset: 0, include_deleted: false, include_descendants: false },
      ...{ include_not_in_effect: false, sort: [{ field: 'asset_external_key', isDescending: false }] },
      ...filters,
    });
    return { totalCount: page.totalCount, rows: page.rows.map((row) => this.#plain(row)) };
  }

  /** Without ids, and in seconds, so that two organizations compare. */
  #plain({
    id,
    location_id: locationId,
    last_seen: lastSeen,
    presence,
  }: Awaited<ReturnType<typeof listPresence>>['rows'][number]) {
    const seconds = (micros: Micros | null) =>
      micros === null ? null : (micros - BEGINNING) / MICROS_PER_SECOND;
    const { state, since, unseen, because } = presence;
    return {
      asset: this.assets.indexOf(id),
      place: this.places.indexOf(locationId ?? 0),
      lastSeen: seconds(lastSeen),
      state,
      since: seconds(since),
      unseen: unseen === null ? null : unseen / MICROS_PER_SECOND,
      because:
        because === null || !('readerId' in because)
          ? because
          : {
              reader: this.readers.findIndex(({ readerId }) => readerId === because.readerId),
              since: seconds(because.since),
            },
    };
  }
}

function tagOf(asset: number): string {
  return `E280${String(asset).padStart(4, '0')}`;
}
