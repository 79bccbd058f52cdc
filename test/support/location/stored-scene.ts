import { expect } from 'chai';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { type SetLocating, setLocating } from '../../../domain/administration/locating/set-locating.ts';
import type { Deciding } from '../../../domain/tracking/location/require-setting.ts';
import type { Trial } from '../../../domain/tracking/location/try-on-assets.ts';
import { takeBack } from '../../../domain/tracking/retractions/retract.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import type {
  OracleScan,
  PersonScan,
  Position,
  Setting,
  World,
} from '../../../simulation/location/oracle.ts';
import { outcomeOf } from '../../../simulation/location/oracle.ts';
import { TEST_ACTOR } from '../actor.ts';
import type { TestDatabase } from '../database.ts';
import { aRead } from '../recording.ts';
import { Site } from '../site.ts';
import { LOCATIONS, PLAN_SIDE, READERS, START, TAGS } from './scenes.ts';

/** An organization whose locations, antennas and plans are those of a scene, in the same order of ids. */
export class StoredScene {
  readonly #database: TestDatabase;
  readonly #site: Site;
  readonly #world: World;
  readonly #locations: readonly number[];
  readonly #readers: readonly number[];
  #assets = 0;

  private constructor(
    database: TestDatabase,
    site: Site,
    world: World,
    ids: { locations: readonly number[]; readers: readonly number[] },
  ) {
    this.#database = database;
    this.#site = site;
    this.#world = world;
    this.#locations = ids.locations;
    this.#readers = ids.readers;
  }

  /** Without settings. */
  static async create(database: TestDatabase, world: World): Promise<StoredScene> {
    const site = await Site.create(database);
    const locations: number[] = [];
    for (let id = 1; id <= LOCATIONS; id++) {
      const parent = world.parents.get(id) ?? null;
      locations.push(
        await site.location(keyOf(id), parent === null ? null : (locations[parent - 1] ?? null)),
      );
    }
    const readers: number[] = [];
    for (let id = 1; id <= READERS; id++) {
      readers.push(await site.reader(`${site.orgId}-${id}`, [null, null, null]));
    }
    const stored = new StoredScene(database, site, world, { locations, readers });
    await stored.#place();
    return stored;
  }

  get orgId(): number {
    return this.#site.orgId;
  }

  async set(settings: readonly Setting[]): Promise<void> {
    for (const { locationId, from, by, certainty, tagDbm, tagKinds } of settings) {
      const isProving = by === 'strength' || by === 'position';
      await this.#database.rows(
        `insert into location_settings (org_id, location_id, valid_from, procedure, certainty, tag_dbm, tag_kinds)
         values ($1, $2, time_of_micros($3), $4, $5, $6, $7)`,
        [
          this.orgId,
          locationId === null ? null : this.#locationOf(locationId),
          from,
          by,
          isProving ? certainty : null,
          tagDbm,
          kindsText(tagKinds),
        ],
      );
    }
  }

  /** As a person does, while scans are recorded. */
  setMeanwhile(setting: Setting): Promise<SetLocating> {
    const { locationId, from } = setting;
    return setLocating(
      databaseOn(this.#database.pool),
      TEST_ACTOR,
      {
        ...{ orgId: this.orgId, from, ...decidingOf(setting) },
        locationExternalKey: locationId === null ? null : keyOf(locationId),
      },
      { retention: MICROS_PER_DAY, now: START },
    );
  }

  /** What a trial of a setting takes. */
  tried(setting: Setting): Pick<Trial, 'orgId' | 'locationId' | 'deciding'> {
    const { orgId } = this;
    const locationId = setting.locationId === null ? null : this.#locationOf(setting.locationId);
    return { orgId, locationId, deciding: decidingOf(setting) };
  }

  /** A share of the image's width and height is a number of metres by a power of two: exact. */
  async #place(): Promise<void> {
    const { orgId } = this;
    for (const { readerId, antenna, offsetDb, heightM } of this.#world.antennas) {
      await this.#database.rows(
        'update antennas set offset_db = $4, height_m = $5 where org_id = $1 and reader_id = $2 and port = $3',
        [orgId, this.#readerOf(readerId), antenna, offsetDb, heightM],
      );
    }
    for (const { locationId, outlines, pins } of this.#world.plans) {
      const [plan] = await this.#database.rows<{ id: number }>(
        `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
         values ($1, $2, 'Plan', 'image/png', 64, 64, '\\x00', decode(repeat('00', 32), 'hex'), '{0,0,1,0}', $3)
         returning id`,
        [orgId, this.#locationOf(locationId), PLAN_SIDE],
      );
      for (const outline of outlines) {
        await this.#database.rows(
          'insert into plan_places (org_id, plan_id, location_id, points) values ($1, $2, $3, $4)',
          [
            orgId,
            plan?.id,
            this.#locationOf(outline.locationId),
            outline.corners.flat().map((metres) => metres / PLAN_SIDE),
          ],
        );
      }
      for (const { readerId, antenna, x, y } of pins) {
        await this.#database.rows(
          'insert into plan_antennas (org_id, plan_id, reader_id, port, x, y) values ($1, $2, $3, $4, $5, $6)',
          [orgId, plan?.id, this.#readerOf(readerId), antenna, x / PLAN_SIDE, y / PLAN_SIDE],
        );
      }
    }
  }

  async asset(): Promise<StoredAsset> {
    const name = `${this.orgId}-${++this.#assets}`;
    const id = await this.#site.asset(name);
    const number = String(this.#assets).padStart(4, '0');
    const values: Record<string, string> = {};
    for (const { tagType, tagValue } of TAGS) {
      // In the scene's order, and of its kinds.
      values[tagValue] = `${tagValue}${number}`;
      await this.#site.tag({ assetId: id }, values[tagValue], tagType);
    }
    return { id, name, values };
  }

  scanOf({ name, values }: StoredAsset, scan: OracleScan): Scan {
    const { at, locationId, tagType, tagValue } = scan;
    const read = aRead({
      ...{ orgId: this.orgId, at, locationId: this.#locationOf(locationId) },
      ...{ tagType: tagType as Scan['tagType'], value: values[tagValue] ?? '' },
      ...(scan.kind === 'read'
        ? { readerId: this.#readerOf(scan.readerId), antenna: scan.antenna, rssi: scan.rssi }
        : { readerId: 0 }),
    });
    return scan.kind === 'read'
      ? read
      : {
          ...read,
          source: {
            kind: 'handheld',
            handheldId: 1,
            submissionId: `${name} ${scan.submissionId}`,
            index: scan.index,
          },
        };
  }

  async takeBack({ id, name }: StoredAsset, scan: PersonScan): Promise<void> {
    await inTransaction(this.#database.pool, (client) =>
      takeBack(client, [
        {
          ...{ orgId: this.orgId, assetId: id, observedAt: scan.at, retractionId: 'R' },
          ...{ submissionId: `${name} ${scan.submissionId}`, index: scan.index },
        },
      ]),
    );
  }

  /** Expects the rows, the position and the metres that the oracle has for these scans. */
  async expectOutcome(
    asset: StoredAsset,
    scans: readonly OracleScan[],
    settings: readonly Setting[] = this.#world.settings,
  ): Promise<void> {
    const { history, newestPosition, lastSeen } = outcomeOf(scans, { ...this.#world, settings });
    const [rows, now] = await this.#stored(asset.id);
    const expected = history.map(({ at, locationId, durationSeconds, statement }, index) => {
      const { rule, scan, position } = statement;
      return {
        at,
        location_id: this.#locationOf(locationId),
        duration_seconds: durationSeconds,
        proof: rule === 'person' || rule === 'every' ? null : rule,
        tag_value: asset.values[scan.tagValue],
        reader_id: scan.kind === 'read' ? this.#readerOf(scan.readerId) : null,
        antenna: scan.kind === 'read' ? scan.antenna : null,
        submission_index: scan.kind === 'read' ? null : scan.index,
        ...this.#metres(position, rows[index]),
      };
    });
    expect(rows).to.deep.equal(expected);
    const last = expected.at(-1);
    const { last_seen, position_at, ...stay } = now;
    expect(stay).to.deep.equal({
      location_id: last?.location_id ?? null,
      since: last?.at ?? null,
      ...this.#metres(newestPosition, now),
    });
    expect(position_at).to.equal(newestPosition?.at ?? null);
    if (lastSeen !== null) {
      expect(last_seen).to.equal(lastSeen);
    }
  }

  async #stored(assetId: number): Promise<[TransitionRow[], PositionRow]> {
    const rows = await this.#database.rows<TransitionRow>(
      `select micros_of_time(observed_at) as at, location_id, duration_seconds, proof, tag_value, reader_id, antenna,
         submission_index, position_plan_location_id as plan, position_x as x, position_y as y, position_radius as radius
       from location_transitions where org_id = $1 and asset_id = $2 order by observed_at`,
      [this.orgId, assetId],
    );
    const [now] = await this.#database.rows<PositionRow>(
      `select location_id, micros_of_time(since) as since, micros_of_time(last_seen) as last_seen,
         micros_of_time(position_observed_at) as position_at, position_plan_location_id as plan, position_x as x,
         position_y as y, position_radius as radius
       from positions where org_id = $1 and asset_id = $2`,
      [this.orgId, assetId],
    );
    const nowhere = { location_id: null, since: null, last_seen: null, position_at: null };
    return [rows, now ?? { ...nowhere, plan: null, x: null, y: null, radius: null }];
  }

  /** What was stored, where it differs from the oracle's by the rounding of `real` only. */
  #metres(position: Position | null, stored: Metres | undefined): Metres {
    if (position === null) {
      return { plan: null, x: null, y: null, radius: null };
    }
    const near = (exact: number, kept: number | null = null) =>
      kept !== null && Math.abs(exact - kept) < 1e-4 ? kept : exact;
    return {
      plan: this.#locationOf(position.planLocationId),
      x: near(position.x, stored?.x),
      y: near(position.y, stored?.y),
      radius: near(position.radius, stored?.radius),
    };
  }

  #locationOf(id: number): number {
    return this.#locations[id - 1] ?? 0;
  }

  #readerOf(id: number): number {
    return this.#readers[id - 1] ?? 0;
  }
}

function keyOf(location: number): string {
  return `L${location}`;
}

export interface StoredAsset {
  id: number;
  /** Begins the names of its submissions. */
  name: string;
  /** Its tags' values, by those of the scene. */
  values: Readonly<Record<string, string>>;
}

interface Metres {
  plan: number | null;
  x: number | null;
  y: number | null;
  radius: number | null;
}

interface TransitionRow extends Metres {
  at: number;
  location_id: number;
  duration_seconds: number | null;
  proof: string | null;
  tag_value: string;
  reader_id: number | null;
  antenna: number | null;
  submission_index: number | null;
}

interface PositionRow extends Metres {
  location_id: number | null;
  since: number | null;
  last_seen: number | null;
  position_at: number | null;
}

function decidingOf({ by, certainty, tagDbm, tagKinds }: Setting): Deciding {
  const isProving = by === 'strength' || by === 'position';
  return { procedure: by, certainty: isProving ? certainty : null, tagDbm, tagKinds: kindsText(tagKinds) };
}

function kindsText(kinds: Setting['tagKinds'] = []): string | null {
  return kinds.length === 0 ? null : kinds.map((kind) => kind.join('=')).join(', ');
}
