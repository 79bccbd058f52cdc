import { expect } from 'chai';
import {
  HALL_DEPTH,
  HALL_WIDTH,
  HallLife,
  type HallRead,
  type Mast,
  makeHall,
  Radio,
} from '../../simulation/hall.ts';
import { outcomeOf, type World } from '../../simulation/location/oracle.ts';
import { makeCarts } from '../../simulation/population.ts';
import { createRandom } from '../../simulation/random.ts';
import { type DecidedSite, type SeenRead, StatedTruth } from '../../simulation/truth/stated-truth.ts';
import { micros } from '../support/mapping.ts';

describe('a simulated hall', () => {
  const START = micros('2026-05-01T10:00:00Z');
  const SECOND = 1_000_000;
  const hall = makeHall({ prefix: 'SIM-', topicRoot: 'simulation', parent: 'SIM-SITE' });
  const readsOf = (seed: number, seconds: number, carts = 4) =>
    new HallLife(hall, makeCarts(carts, 'SIM-'), START, createRandom(seed)).reads(START + seconds * SECOND);

  it('repeats its reads with the same seed, and no others', () => {
    expect(readsOf(1, 60)).to.deep.equal(readsOf(1, 60));
    expect(readsOf(1, 60)).not.to.deep.equal(readsOf(2, 60));
  });

  it('has each cart heard twice a second by nearly all gateways, in order of time', () => {
    const reads = readsOf(1, 60);
    expect(reads.length).to.be.within(4 * 6 * 2 * 60 * 0.9, 4 * 6 * 2 * 60 + 24);
    expect(reads.every(({ at }, index) => index === 0 || at >= (reads[index - 1]?.at ?? 0))).to.equal(true);
    expect(new Set(reads.map(({ reader }) => reader.name)).size).to.equal(6);
  });

  it('lets the mean level fall by 6 dB with each doubling of the distance, from -55 dBm at 1 m', () => {
    const random = createRandom(3);
    const meanPowerAt = (distance: number): number => {
      let power = 0;
      for (let seed = 0; seed < 400; seed++) {
        const mast: Mast = { number: 0, x: 0, y: 0, height: 0 };
        const radio = new Radio(seed);
        for (let read = 0; read < 20; read++) {
          power += 10 ** ((radio.read(mast, 1, { x: distance, y: 0 }, random) ?? -100) / 10);
        }
      }
      return 10 * Math.log10(power / 400 / 20);
    };
    const [one, four, sixteen] = [1, 4, 16].map(meanPowerAt) as [number, number, number];
    // Shadows raise the mean of a power that is 4.5 dB off by 2 dB.
    expect(one).to.be.within(-55, -51);
    expect(one - four).to.be.within(10.5, 13.5);
    expect(four - sixteen).to.be.within(10.5, 13.5);
  });

  const locationIds = new Map(hall.locations.map(({ key }, index) => [key, index + 1]));
  const readerIds = new Map(hall.gateways.map(({ reader }, index) => [reader.name, index + 1]));
  const world: World = {
    parents: new Map(hall.bays.map(({ location }) => [locationIds.get(location) ?? 0, 1])),
    settings: [{ locationId: 1, from: START, by: 'strength', certainty: 1, tagDbm: null }],
    antennas: [],
    plans: [],
  };
  const site: DecidedSite = {
    world,
    readerId: (name) => readerIds.get(name) ?? 0,
    locationId: (key) => locationIds.get(key) ?? 0,
    locationKey: (id) => hall.locations[id - 1]?.key ?? '',
  };
  const seen = ({ asset, reader, at, rssi }: HallRead): SeenRead => ({
    ...{ earliest: at, latest: at, location: reader.antennas[0] ?? '', rssi },
    ...{ reader: reader.name, port: 1, tagType: 'ble', tag: asset.tags.ble },
  });

  it('has as its truth what the oracle says of all reads, however often it is settled', () => {
    const reads = readsOf(5, 400, 1);
    const truth = new StatedTruth(site);
    for (const read of reads) {
      truth.add(seen(read));
      truth.settle(read.at);
    }
    const { course, doubt } = truth.conclude();
    const { history } = outcomeOf(
      reads.map(({ asset, reader, at, rssi }) => ({
        kind: 'read',
        ...{ at, readerId: site.readerId(reader.name), antenna: 1, rssi },
        ...{
          tagType: 'ble',
          tagValue: asset.tags.ble,
          locationId: site.locationId(reader.antennas[0] ?? ''),
        },
      })),
      world,
    );
    expect(history.length).to.be.greaterThan(3);
    expect(doubt).to.equal(null);
    expect(course.stays.map(({ location, since }) => [location, since.earliest])).to.deep.equal(
      history.map(({ at, locationId }) => [site.locationKey(locationId), at]),
    );
    expect(course.lastSeen?.latest).to.equal(reads.at(-1)?.at);
  });

  it('leaves a cart undecided where a read without an exact time may have borne on it', () => {
    const undecidedWith = (earliest: number) => {
      const truth = new StatedTruth(site);
      const [first, ...others] = readsOf(5, 10, 1).map(seen);
      for (const read of [first as SeenRead, ...others]) {
        truth.add(read);
      }
      // At the site, where every scan counts.
      truth.add({ ...(first as SeenRead), location: 'SIM-SITE', earliest, latest: earliest + 4 * SECOND });
      return truth.conclude().doubt;
    };
    expect(undecidedWith(START + 30 * SECOND)).to.equal('order');
    expect(undecidedWith(START + 90 * SECOND)).to.equal(null);
  });

  it('is as wide and deep as its bays', () => {
    expect(Math.max(...hall.bays.map(({ right }) => right))).to.equal(HALL_WIDTH);
    expect(Math.max(...hall.bays.map(({ bottom }) => bottom))).to.equal(HALL_DEPTH);
  });
});
