import { expect } from 'chai';
import { compareDeciding } from '../../../../domain/tracking/history/deciding-scan.ts';
import { type DatedSetting, type Setting, Site } from '../../../../domain/tracking/location/site.ts';
import {
  Hearing,
  hearing,
  type Seen,
  type Stated,
  statementsIn,
} from '../../../../domain/tracking/location/stated-locations.ts';
import { longestHold } from '../../../support/held-loop.ts';
import { Random } from '../../../support/random.ts';

const siteWith = (setting: Setting, plans: readonly number[] = []) => {
  const settings: DatedSetting[] = [{ locationId: null, validFrom: 0, setting }];
  return new Site({
    settings,
    plans: plans.map((locationId) => ({
      locationId,
      places: [{ locationId, corners: [{ x: 1, y: 1 }] }],
      antennas: [],
    })),
  });
};

const STRENGTH = siteWith({ procedure: 'strength', certainty: 1 });

interface Read {
  at: number;
  antenna: number;
  locationId: number;
  rssi: number | null;
  tag: number;
}

function toScan({ at, antenna, locationId, rssi, tag }: Read): Seen {
  return {
    ...{ observedAt: at, locationId, rssi },
    scan: {
      ...{ receivedAt: 0, tagType: 'rfid', tagValue: `T${tag}`, rssi },
      source: { kind: 'reader', readerId: 1, antenna },
    },
  };
}

/** Location rule 1, as it is written. */
function partakersOf(scans: readonly Seen[], antenna: number): Seen[] {
  return scans
    .filter(({ scan: { source } }) => source.kind === 'reader' && source.antenna === antenna)
    .toSorted(
      (a, b) =>
        a.observedAt - b.observedAt ||
        (b.rssi ?? Number.NEGATIVE_INFINITY) - (a.rssi ?? Number.NEGATIVE_INFINITY) ||
        compareDeciding(a.scan, b.scan),
    )
    .slice(0, 50);
}

const heardIn = (heard: Hearing) => {
  const levels = (antennas: { antenna: number; count: number; known: number; level: number }[]) =>
    antennas.map(({ antenna, count, known, level }) => ({ antenna, count, known, level }));
  return levels(heard.hear(0).antennas);
};

describe('many reads of one half second', () => {
  it('take part as the rule says, in whichever order they come', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed, 0);
      const upTo = (most: number) => random.below(most);
      const scans = Array.from({ length: 30 + upTo(400) }, (_, tag) =>
        toScan({
          at: upTo(1 + upTo(30)) * 1_000,
          antenna: 1 + upTo(3),
          locationId: 1 + upTo(2),
          rssi: upTo(8) === 0 ? null : -40 - upTo(6),
          tag,
        }),
      );
      const added = new Hearing(STRENGTH);
      for (const scan of scans) {
        added.add(scan);
        // Levels are remembered from one read to the next.
        added.isNarrow(0);
      }
      const wanted = await hearing(
        [1, 2, 3].flatMap((antenna) => partakersOf(scans, antenna)),
        STRENGTH,
      );
      expect(heardIn(added), `seed ${seed}`).to.deep.equal(heardIn(wanted));
      expect(heardIn(await hearing(scans, STRENGTH)), `sorted, seed ${seed}`).to.deep.equal(heardIn(wanted));
    }
  });

  it('are forgotten if they can state nothing and take no part', async () => {
    const settings: DatedSetting[] = [
      { locationId: null, validFrom: 0, setting: { procedure: 'strength', certainty: 0.1 } },
      { locationId: 1, validFrom: 200_000, setting: { procedure: 'strength', certainty: 2 } },
      { locationId: 3, validFrom: 0, setting: { procedure: 'every' } },
    ];
    const scans = Array.from({ length: 3_000 }, (_, index) =>
      toScan({
        ...{ at: (7 * index) % 500_000, antenna: 1 + (index % 3), locationId: 1 + (index % 3) },
        ...{ rssi: -50 - (index % 20), tag: index },
      }),
    );
    const heard = await hearing(scans, new Site({ settings }));
    // 50 of each of two antennas, the first of each location and setting, and all that state by themselves.
    expect(heard.size).to.be.within(1_100, 1_103);
    const fewer = await hearing(
      scans.filter(({ locationId }) => locationId !== 3),
      STRENGTH,
    );
    expect(fewer.size).to.be.within(100, 102);
  });

  it('hold the process shortly, and count, at two thousand antennas', async () => {
    const scans = Array.from({ length: 150_000 }, (_, index) =>
      toScan({
        at: Math.floor(index / 2_000) * 1_000,
        antenna: 1 + (index % 2_000),
        locationId: 1 + (index % 2),
        rssi: -60 - (index % 20),
        tag: 1,
      }),
    );
    let stated: Stated | null = null;
    const hold = await longestHold(async () => {
      stated = await statementsIn(await hearing(scans, STRENGTH), { from: 0, to: 0 });
    }, 1);
    expect(hold).to.be.below(600);
    expect((stated as Stated | null)?.cost).to.be.above(10_000);
  });

  it('hold the process shortly where they alternate between plans that no antenna hangs on', async () => {
    const site = siteWith({ procedure: 'position', certainty: 1, tagDbm: -55 }, [1, 2]);
    const scans = Array.from({ length: 60_000 }, (_, index) =>
      toScan({
        at: index * 5,
        antenna: 1 + (index % 6_000),
        locationId: 1 + (index % 2),
        rssi: -60,
        tag: index,
      }),
    );
    const loudest = Array.from({ length: 5 }, (_, tag) =>
      toScan({ at: 600_000, antenna: 10_000, locationId: 3, rssi: -10, tag }),
    );
    const heard = await hearing([...scans, ...loudest], site);
    expect(await longestHold(() => statementsIn(heard, { from: 0, to: 0 }), 1)).to.be.below(500);
  });
});
