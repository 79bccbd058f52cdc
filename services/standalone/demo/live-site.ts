import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { TagRead } from '../../../simulation/encoders/encoder.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import { HallLife } from '../../../simulation/hall.ts';
import { nextStop } from '../../../simulation/movement.ts';
import type { Random } from '../../../simulation/random.ts';
import type { SiteLocation, SiteReader } from '../../../simulation/site.ts';
import { ASSETS, type SiteAsset } from './assets.ts';
import { CARTS, HALL } from './hall.ts';
import type { Itinerary } from './itinerary.ts';
import { antennaAt, ROOMS, STOPS } from './site.ts';

export interface LiveMessage {
  reader: SiteReader;
  payload: string;
}

/** At this step an asset comes to the cold room; then somebody takes it out past all readers. */
const THEFT = { asset: 'CAGE-08', from: 'COLD-ROOM', at: 15 };

/** At this step the reader of two aisles dies. */
const DEATH = { reader: antennaAt('AISLE-A').reader, at: 45 };

export interface LiveSite {
  /** A reader that has died: it sends nothing any more. */
  readonly dead: SiteReader | null;
  /** Every moving asset is read where it is. */
  begin(now: Micros): LiveMessage[];
  step(now: Micros): LiveMessage[];
}

/** Goes on where assets were last; carts are heard in the hall since half a minute. */
export function createLiveSite(past: readonly Itinerary[], random: Random, now: Micros): LiveSite {
  const hall = new HallLife(HALL, CARTS, now - 30 * MICROS_PER_SECOND, random);
  const locations = new Map<SiteAsset, SiteLocation>();
  for (const { asset, visits } of past) {
    const known = ASSETS.find(({ key }) => key === asset);
    const location = STOPS.find(({ key }) => key === visits.at(-1)?.location);
    if (known !== undefined && location !== undefined) {
      locations.set(known, location);
    }
  }
  const sequences = new Map<SiteReader, number>();
  let steps = 0;
  const isDead = (reader: SiteReader) => steps >= DEATH.at && reader === DEATH.reader;

  const move = (asset: SiteAsset) => {
    locations.set(asset, nextStop(asset.kind, locations.get(asset) ?? null, STOPS, random));
  };

  const report = (assets: Iterable<SiteAsset>, now: Micros): LiveMessage[] => {
    const seen = new Map<SiteReader, TagRead[]>();
    for (const asset of assets) {
      const location = locations.get(asset);
      const antenna = location === undefined ? null : antennaAt(location.key);
      if (antenna !== null && !isDead(antenna.reader)) {
        const { reader, port } = antenna;
        const read = { value: asset.epc, port, rssi: random.integer(-72, -41), at: now };
        seen.set(reader, [...(seen.get(reader) ?? []), read]);
      }
    }
    return [...seen].flatMap(([reader, reads]) => encode(reader, reads));
  };

  const encode = (reader: SiteReader, reads: readonly TagRead[]): LiveMessage[] => {
    const encoder = ENCODERS[reader.format];
    return inGroupsOf(encoder.maxReadsPerMessage, reads).map((group) => {
      const sequence = sequences.get(reader) ?? 0;
      sequences.set(reader, sequence + 1);
      return { reader, payload: encoder.encode(reader, group, sequence).payload };
    });
  };

  const hear = (until: Micros): LiveMessage[] =>
    [...Map.groupBy(hall.reads(until), ({ reader }) => reader)].flatMap(([reader, reads]) =>
      encode(
        reader,
        reads.map(({ asset, at, rssi }) => ({ value: asset.tags.ble, port: 1, rssi, at })),
      ),
    );

  const movable = ASSETS.filter(({ kind }) => kind !== 'in repair');
  return {
    get dead() {
      return steps >= DEATH.at ? DEATH.reader : null;
    },
    begin: (now) => {
      movable.filter((asset) => !locations.has(asset)).forEach(move);
      return [...report(movable, now), ...hear(now)];
    },
    step: (now) => {
      steps += 1;
      const present = movable.filter(({ key }) => steps <= THEFT.at || key !== THEFT.asset);
      const movers = [random.pick(present), ...(random.chance(0.4) ? [random.pick(present)] : [])];
      movers.forEach(move);
      if (steps === THEFT.at) {
        const taken = present.find(({ key }) => key === THEFT.asset) as SiteAsset;
        locations.set(taken, STOPS.find(({ key }) => key === THEFT.from) as SiteLocation);
      }
      const bystanders = Array.from({ length: 3 }, () => random.pick(present));
      const inRooms = present.filter((asset) => ROOMS.includes(locations.get(asset)?.key ?? ''));
      return [...report(new Set([...movers, ...bystanders, ...inRooms]), now), ...hear(now)];
    },
  };
}

function inGroupsOf<Item>(size: number, items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
