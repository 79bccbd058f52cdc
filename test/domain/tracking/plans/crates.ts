import type { Scan } from '../../../../domain/tracking/scan.ts';
import type { TestDatabase } from '../../../support/database.ts';
import { aRead } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';

export const SECOND = 1_000_000;
export const START = Date.UTC(2026, 4, 1, 10) * 1_000;
export const CRATES = 250;
/** Reads of each crate, in time. */
export const READS = 100;

/** Crates of an organization of their own, which are read every ten seconds, at A and at B in turn. */
export class Crates {
  readonly site: Site;
  readonly locationIds: readonly number[];
  readonly handheldId: number;
  readonly #readerId: number;

  private constructor(site: Site, locationIds: readonly number[], readerId: number, handheldId: number) {
    this.site = site;
    this.locationIds = locationIds;
    this.#readerId = readerId;
    this.handheldId = handheldId;
  }

  /** @param locations more than two: each crate has its own, if there are as many as crates. */
  static async create(database: TestDatabase, locations = 2): Promise<Crates> {
    const site = await Site.create(database);
    const locationIds: number[] = [];
    for (let location = 0; location < locations; location++) {
      locationIds.push(await site.location(`location-${location}`));
    }
    const readerId = await site.reader(`dock-${site.orgId}`, [null]);
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'one', sha256('one')) returning id`,
      [site.orgId],
    );
    // One more than is ever read in time.
    for (let asset = 0; asset <= CRATES; asset++) {
      await site.asset(`crate-${asset}`, `crate-${asset}`);
    }
    return new Crates(site, locationIds, readerId, handheld?.id ?? 0);
  }

  /** For each of the assets from `first` up to `end`: as many reads, and a scan by hand. */
  reads(first: number, end: number, count: number): Scan[] {
    return span(first, end).flatMap((asset) => [
      ...span(0, count).map((read) => this.#read(asset, read * 10, read)),
      ...this.#byHand(asset),
    ]);
  }

  /** Late and repeated reads of the first `assets`: a new one, one that is stored, one that was weaker, one by hand. */
  late(assets: number): Scan[] {
    return [
      ...span(0, assets).flatMap((asset) => [
        this.#read(asset, (asset % (READS - 10)) * 10 + 15, asset),
        this.#read(asset, 0, 0),
        { ...this.#read(asset, 10, 1), rssi: -40 },
        ...this.#byHand(asset),
        // The first of all; with it in view, the turns that follow prove nothing any more.
        this.#read(asset, -15, 1),
      ]),

      this.#read(CRATES, 0, 0),
      ...span(0, assets).map((index) => ({ ...this.#read(0, index, 0), value: `stranger-${index}` })),
    ];
  }

  #read(asset: number, second: number, location: number): Scan {
    const { orgId } = this.site;
    const turn = this.locationIds.length > 2 ? asset + location : location;
    const locationId = this.locationIds[turn % this.locationIds.length] ?? 0;
    return aRead({
      orgId,
      readerId: this.#readerId,
      value: `crate-${asset}`,
      locationId,
      at: START + second * SECOND,
    });
  }

  /** Of every other asset. */
  #byHand(asset: number): Scan[] {
    const source = {
      kind: 'handheld',
      handheldId: this.handheldId,
      submissionId: `walk-${asset}`,
      index: 0,
    } as const;
    return asset % 2 === 0 ? [{ ...this.#read(asset, 5, 0), source }] : [];
  }
}

export function span(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
