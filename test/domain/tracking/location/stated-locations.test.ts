import { expect } from 'chai';
import { history } from '../../../../domain/tracking/history/history.ts';
import type { PlanParts } from '../../../../domain/tracking/location/position.ts';
import { type DatedSetting, type Setting, Site } from '../../../../domain/tracking/location/site.ts';
import {
  addScans,
  explain,
  hearing,
  type Seen,
  statementsIn,
  statementsOf,
} from '../../../../domain/tracking/location/stated-locations.ts';

const SECOND = 1_000_000;

/** Antennas hang at the location of their letter: A1 and A2 at A. */
const LETTERS = 'ABCDEFG';

const STRENGTH: Setting = { procedure: 'strength', certainty: 1 };

const everywhere = (setting: DatedSetting['setting'], validFrom = 0): DatedSetting => ({
  locationId: null,
  validFrom,
  setting,
});

const locationOf = (letter = '') => LETTERS.indexOf(letter) + 1;

/** Reads as `second antenna:strength`, without strength where there is none; and `second location:hand`. */
function scans(line: string): Seen[] {
  return line.split(', ').map((word, index) => {
    const [, second = '', letter = '', number = '', rest] =
      /^([\d.]+) ([A-G])(\d?)(?::(.+))?$/.exec(word) ?? [];
    const rssi = rest === undefined || rest === 'hand' ? null : Number(rest);
    const source =
      rest === 'hand'
        ? ({ kind: 'handheld', handheldId: 1, submissionId: 's', index } as const)
        : ({ kind: 'reader', readerId: locationOf(letter), antenna: Number(number || '1') } as const);
    return {
      observedAt: Math.round(Number(second) * SECOND),
      locationId: locationOf(letter),
      rssi,
      scan: { receivedAt: 0, tagType: 'ble', tagValue: 'T', rssi, source },
    };
  });
}

/** `count` reads, one each `every` seconds from `from` on. */
function reads(antenna: string, count: number, { from = 0, every = 0.5, rssi = '' } = {}): string {
  return Array.from({ length: count }, (_, index) => `${from + index * every} ${antenna}${rssi}`).join(', ');
}

async function statedBy(line: string, site = new Site({ settings: [everywhere(STRENGTH)] })) {
  const { statements } = await statementsOf(scans(line), site);
  return statements.map(
    ({ observedAt, locationId, rule }) => `${observedAt / SECOND} ${LETTERS[locationId - 1]} ${rule}`,
  );
}

describe('statements', () => {
  it('are made by every scan where nothing is set', async () => {
    expect(await statedBy('0 A:-60, 1 B:-50', new Site({ settings: [] }))).to.deep.equal([
      '0 A every',
      '1 B every',
    ]);
  });

  it('are made by the first scan of a bucket if only one location was heard', async () => {
    expect(await statedBy('0 A:-60, 0.1 A:-50, 0.5 A, 40 B')).to.deep.equal([
      '0 A only_here',
      '0.5 A only_here',
      '40 B only_here',
    ]);
  });

  it('are made by a person at once, who is no rival', async () => {
    expect(await statedBy('0 A:-60, 0.2 B:hand, 0.6 A:-60')).to.deep.equal([
      '0 A only_here',
      '0.2 B person',
      '0.6 A only_here',
    ]);
  });

  it('are made by a person rather than by a reader at one instant, from the first setting on', async () => {
    expect(await statedBy('0 A:-60, 0 B:hand')).to.deep.equal(['0 B person']);
    const later = new Site({ settings: [everywhere(STRENGTH, SECOND)] });
    expect(await statedBy('0 A:-60, 0 B:hand', later)).to.deep.equal(['0 A every']);
  });

  describe('by strength', () => {
    it('need 3 dB times the root of what one read on each side says: 4.24 dB', async () => {
      expect(await statedBy('0 A:-60, 0.1 B:-64.2')).to.deep.equal([]);
      expect(await statedBy('0 A:-60, 0.1 B:-64.3')).to.deep.equal(['0 A strength']);
    });

    it('need less the more reads there are: 1.9 dB of five on each side', async () => {
      const [a, b] = [reads('A', 5, { rssi: ':-60' }), reads('B', 5, { from: 0.1, rssi: ':-62' })];
      expect(await statedBy(`${a}, ${b}`)).to.deep.equal(
        ['0', '0.5', '1', '1.5', '2'].map((at) => `${at} A strength`),
      );
      expect(await statedBy(`${a}, ${b.replaceAll('-62', '-61.8')}`)).to.deep.equal([]);
    });

    it('go by the mean of the strongest fifth, not by one lucky read', async () => {
      // A: of six reads the two strongest, (-40 - 60) / 2 = -50; B: -49 of one that is heard once: 3 * sqrt(1/6 + 1) = 3.24.
      const a = `0 A:-40, ${reads('A', 5, { from: 0.05, every: 0.05, rssi: ':-60' })}`;
      expect(await statedBy(`${a}, 0.4 B:-46.7`)).to.deep.equal(['0.4 B strength']);
      expect(await statedBy(`${a}, 0.4 B:-46.8`)).to.deep.equal([]);
    });

    it('go by the loudest antenna of a location', async () => {
      expect(await statedBy('0 A1:-70, 0.1 A2:-60, 0.2 B:-65')).to.deep.equal(['0 A strength']);
    });

    it('state nothing in a bucket without a scan at the decided location', async () => {
      expect(await statedBy('0 A:-50, 0.5 B:-80')).to.deep.equal(['0 A strength']);
    });

    it('take the offset of an antenna off its level', async () => {
      const site = new Site({
        settings: [everywhere(STRENGTH)],
        antennas: [{ readerId: 1, antenna: 1, offsetDb: 10, heightM: 1 }],
      });
      expect(await statedBy('0 A:-60, 0.1 B:-64.3', site)).to.deep.equal(['0.1 B strength']);
    });

    it('need a more certain lead with a greater certainty', async () => {
      const site = new Site({ settings: [everywhere({ procedure: 'strength', certainty: 2 })] });
      expect(await statedBy('0 A:-60, 0.1 B:-68.4', site)).to.deep.equal([]);
      expect(await statedBy('0 A:-60, 0.1 B:-68.5', site)).to.deep.equal(['0 A strength']);
    });
  });

  describe('by counts, where a location has no strength', () => {
    it('need two standard deviations: four reads to none other, seven to one', async () => {
      const six = reads('A', 6, { every: 0.05 });
      expect(await statedBy(`${six}, 0.4 B:-60`)).to.deep.equal([]);
      expect(await statedBy(`${six}, 0.35 A, 0.4 B:-60`)).to.deep.equal(['0 A counts']);
    });
  });

  describe('go by a window', () => {
    it('of 5 s to either side, if five reads of an antenna are in there', async () => {
      const a = reads('A', 5, { rssi: ':-60' });
      expect(await statedBy(`${a}, 6.6 B:-50, 60 A`)).to.deep.equal([
        '0 A only_here',
        '0.5 A only_here',
        '1 A only_here',
        '1.5 A only_here',
        '6.6 B strength',
        '60 A only_here',
      ]);
    });

    it('of 30 s if nothing was read often', async () => {
      expect(await statedBy('0 A:-60, 29.9 B:-62')).to.deep.equal([]);
      expect(await statedBy('0 A:-60, 30.1 B:-62')).to.deep.equal(['0 A only_here', '30.1 B only_here']);
    });

    it('in which at most 50 reads of an antenna in a bucket take part', async () => {
      const burst = reads('A', 60, { every: 0.008 });
      // 50 reads against 35: 15 * 15 is less than 4 * 85. All 60 would be enough.
      expect(await statedBy(`${burst}, ${reads('B', 35, { every: 0.01 })}`)).to.deep.equal([]);
    });
  });

  it('are of the location that the first setting holds for, upwards', async () => {
    const site = new Site({
      settings: [
        everywhere({ procedure: 'every' }),
        { locationId: 7, validFrom: 0, setting: STRENGTH },
        { locationId: 1, validFrom: 10 * SECOND, setting: { procedure: 'every' } },
        { locationId: 1, validFrom: 20 * SECOND, setting: 'inherit' },
      ],
      parents: new Map([
        [1, 6],
        [6, 7],
      ]),
    });
    expect(await statedBy('0 A:-60, 0.1 B:-60, 10 A:-60, 20 A:-60', site)).to.deep.equal([
      '0.1 B every',
      '10 A every',
    ]);
  });

  it('make a history that does not depend on the order of the scans', async () => {
    const seen = scans(`${reads('A', 20, { rssi: ':-60' })}, ${reads('B', 20, { from: 8, rssi: ':-50' })}`);
    const site = new Site({ settings: [everywhere(STRENGTH)] });
    const inOrder = history((await statementsOf(seen, site)).statements);
    expect(history((await statementsOf(seen.toReversed(), site)).statements)).to.deep.equal(inOrder);
    expect(inOrder.map(({ locationId }) => locationId)).to.deep.equal([1, 2]);
  });

  describe('by position', () => {
    /** Two rooms of 2 m by 2 m side by side, with an antenna in the middle of each, at the height of the tags. */
    const plan: PlanParts = {
      locationId: 7,
      places: [
        { locationId: 1, corners: rectangle(0, 0, 2, 2) },
        { locationId: 2, corners: rectangle(2, 0, 4, 2) },
      ],
      antennas: [
        { readerId: 1, antenna: 1, x: 1, y: 1 },
        { readerId: 2, antenna: 1, x: 3, y: 1 },
      ],
    };
    const siteWith = (places: Partial<PlanParts> = {}) =>
      new Site({
        settings: [everywhere({ procedure: 'position', certainty: 1, tagDbm: -55 })],
        parents: new Map([1, 2, 3, 4].map((id) => [id, 7])),
        plans: [{ ...plan, ...places }],
      });

    it('are of the likeliest room, with the mean of its cells', async () => {
      const { statements, positions } = await statementsOf(scans('0 A:-56, 0.1 B:-70'), siteWith());
      expect(statements.map(({ locationId, rule }) => ({ locationId, rule }))).to.deep.equal([
        { locationId: 1, rule: 'position' },
      ]);
      const [position] = positions;
      expect(position).to.deep.include({ planLocationId: 7, observedAt: 0 });
      expect(position?.x).to.be.within(0.5, 2);
      expect(position?.y).to.be.closeTo(1, 1e-9);
      expect(position?.radius).to.be.within(0.5, 2);
    });

    it('cost little again where a weak read leaves all levels as they are', async () => {
      const hall = siteWith({
        places: [
          { locationId: 1, corners: rectangle(0, 0, 20, 40) },
          { locationId: 2, corners: rectangle(20, 0, 40, 40) },
        ],
      });
      const heard = scans(
        `${reads('A', 12, { rssi: ':-60' })}, ${reads('B', 12, { from: 0.1, rssi: ':-62' })}`,
      );
      const all = { from: 0, to: 40 };
      const known = await hearing(heard, hall);
      const first = await statementsIn(known, all);
      for (const [line, least, most] of [
        ['5.2 A:-90', 0, 0.1],
        ['5.3 A:-50', 0.5, 1],
      ] as const) {
        const added = scans(line);
        heard.push(...added);
        for (const scan of added) {
          known.add(scan);
        }
        const again = await statementsIn(known, all);
        const { statements, positions } = await statementsOf(heard, hall);
        expect(again).to.deep.include({ statements, positions });
        expect(again.cost / first.cost).to.be.within(least, most);
      }
    });

    it('are none between two equally likely rooms, of which the position is the middle', async () => {
      const { statements, positions } = await statementsOf(scans('0 A:-60, 0.1 B:-60'), siteWith());
      expect(statements).to.deep.equal([]);
      expect(positions[0]?.x).to.be.closeTo(2, 1e-9);
    });

    it('can be of a room without an antenna', async () => {
      const between = siteWith({
        places: [
          { locationId: 1, corners: rectangle(0, 0, 10, 2) },
          { locationId: 3, corners: rectangle(10, 0, 20, 2) },
          { locationId: 2, corners: rectangle(20, 0, 30, 2) },
        ],
        antennas: [
          { readerId: 1, antenna: 1, x: 1, y: 1 },
          { readerId: 2, antenna: 1, x: 29, y: 1 },
        ],
      });
      expect(await statedBy('0 A:-78, 0.1 B:-78', between)).to.deep.equal(['0 C position']);
    });

    it('expect a kind of tag as loud as its own strength at 1 m, by the longest beginning of its value', async () => {
      const site = (tagDbm: number, kinds: readonly [string, number][] = []) =>
        new Site({
          settings: [everywhere({ procedure: 'position', certainty: 1, tagDbm, tagKinds: new Map(kinds) })],
          parents: new Map([1, 2].map((id) => [id, 7])),
          plans: [plan],
        });
      const asked = scans('0 A:-56, 0.1 B:-60');
      const own = asked.map((each) => ({ ...each, scan: { ...each.scan, tagValue: 'ac:23:3f:00:00:01' } }));
      const positions = async (...of: Parameters<typeof site>) =>
        (await statementsOf(own, site(...of))).positions;
      const kinds: [string, number][] = [
        ['AC', -90],
        ['AC233F', -40],
        ['AC233F00', -45],
        ['AC233F01', -80],
      ];
      expect(await positions(-55, kinds)).to.deep.equal(await positions(-45));
      expect(await positions(-55, kinds.slice(3))).to.deep.equal(await positions(-55));
      expect(await positions(-45)).not.to.deep.equal(await positions(-55));
      const { evidence } = await explain(own, site(-55, kinds), own[0] as Seen);
      expect(evidence?.position).to.deep.equal(
        (await explain(own, site(-45), own[0] as Seen)).evidence?.position,
      );
    });

    it('are those of strength if no antenna on the plan is heard', async () => {
      expect(await statedBy('0 C:-60, 0.1 D:-70', siteWith())).to.deep.equal(['0 C strength']);
    });

    it("go by the first scan's plan where those of a bucket have different ones, in whichever order they come", async () => {
      const beside = {
        ...plan,
        locationId: 8,
        places: plan.places.map((place) => ({ ...place, locationId: 3 })),
      };
      const site = new Site({
        settings: [everywhere({ procedure: 'position', certainty: 1, tagDbm: -55 })],
        parents: new Map([1, 2, 3, 4].map((id) => [id, id < 3 ? 7 : 8])),
        plans: [
          plan,
          { ...beside, antennas: plan.antennas.map((each) => ({ ...each, readerId: each.readerId + 2 })) },
        ],
      });
      const lines = ['0 A:-56, 0.1 B:-70, 0.2 C:-70, 0.3 D:-80', '0 C:-56, 0.1 D:-70, 0.2 A:-70, 0.3 B:-80'];
      for (const [index, line] of lines.entries()) {
        const seen = scans(line);
        const stated = await statementsOf(seen, site);
        expect(stated.statements.map(({ locationId }) => locationId)).to.deep.equal([index === 0 ? 1 : 3]);
        expect(stated.positions.map(({ planLocationId }) => planLocationId)).to.deep.equal([7 + index]);
        for (const order of [seen.toReversed(), [...seen.slice(2), ...seen.slice(0, 2)]]) {
          const { statements, positions } = await statementsOf(order, site);
          expect({ statements, positions }).to.deep.equal({
            statements: stated.statements,
            positions: stated.positions,
          });
        }
      }
    });

    it('go by the first made of several plans of a location', async () => {
      const site = new Site({
        settings: [everywhere({ procedure: 'position', certainty: 1, tagDbm: -55 })],
        parents: new Map([1, 2].map((id) => [id, 7])),
        plans: [plan, { ...plan, places: plan.places.map((place) => ({ ...place, locationId: 3 })) }],
      });
      expect(await statedBy('0 A:-56, 0.1 B:-70', site)).to.deep.equal(['0 A position']);
    });

    it('are of the only location that was heard', async () => {
      expect(await statedBy('0 A:-90', siteWith())).to.deep.equal(['0 A only_here']);
    });
  });

  describe('are explained', () => {
    it('by levels and margins, also of a scan that states nothing', async () => {
      const seen = scans('0 A:-60, 0.1 B:-61.1');
      const { rule, evidence } = await explain(
        seen,
        new Site({ settings: [everywhere(STRENGTH)] }),
        seen[0] as Seen,
      );
      expect(rule).to.equal(null);
      expect(evidence).to.deep.include({ procedure: 'strength', proof: null, locationId: 1, unit: 'dB' });
      const [here, there] = evidence?.heard ?? [];
      expect(here).to.deep.equal({
        ...{ locationId: 1, readerId: 1, antenna: 1, reads: 1, readsWithRssi: 1, level: -60, margin: null },
      });
      expect(there).to.deep.include({ locationId: 2, level: -61.1 });
      expect(there?.margin?.reached).to.be.closeTo(1.1, 1e-9);
      expect(there?.margin?.needed).to.be.closeTo(4.2426, 1e-4);
      expect(there?.margin?.isReached).to.equal(false);
    });

    it('by what each antenna needs to win: with so much more it is decided, and with less it is not', async () => {
      const seen = scans(
        `${reads('A1', 7, { rssi: ':-60.3' })}, ${reads('A2', 3, { rssi: ':-64' })}, ` +
          `${reads('B', 4, { rssi: ':-61.7' })}, 2.1 C:-59.9, 2.2 D:-66, 2.3 D:-71`,
      );
      const evidenceWith = async (readerId: number, offsetDb: number) => {
        const antennas = [{ readerId, antenna: 1, offsetDb, heightM: 1 }];
        const site = new Site({ settings: [everywhere(STRENGTH)], antennas });
        return (await explain(seen, site, seen.at(-1) as Seen)).evidence;
      };
      const evidence = await evidenceWith(1, 0);
      expect(evidence).to.include({ proof: null, antennaCount: 5 });
      const levels = evidence?.antennas.map(({ locationId, level }) => [locationId, level]);
      expect(levels).to.deep.equal([
        [3, -59.9],
        [1, -60.3],
        [2, -61.7],
        [1, -64],
        [4, -66],
      ]);
      for (const { readerId, antenna, locationId, lacking } of evidence?.antennas ?? []) {
        expect(lacking === null).to.equal(antenna === 2);
        if (lacking !== null) {
          const more = await evidenceWith(readerId, -lacking - 1e-9);
          expect(more).to.include({ proof: 'strength', locationId });
          expect(more?.antennas[0]?.lacking).to.equal(0);
          expect((await evidenceWith(readerId, -lacking + 1e-6))?.proof).to.equal(null);
        }
      }
    });

    it('by nothing where nothing has to be proven', async () => {
      const seen = scans('0 A:-60, 0.1 B:hand');
      expect(await explain(seen, new Site({ settings: [] }), seen[0] as Seen)).to.deep.include({
        ...{ setting: { procedure: 'every' }, rule: 'every', locationId: 1, evidence: null },
      });
    });
  });

  it('of a minute with 50 reads a second at each of 12 antennas let others have the loop in between', async function () {
    this.timeout(60_000);
    const seen = scans('0 A');
    const [first] = seen as [Seen];
    const many: Seen[] = [];
    for (let at = 0; at < 60 * SECOND; at += SECOND / 50) {
      for (let antenna = 1; antenna <= 12; antenna++) {
        const rssi = -60 - ((at / 20_000 + antenna * 7) % 13);
        const source = { kind: 'reader', readerId: 1, antenna } as const;
        many.push({
          ...first,
          observedAt: at,
          locationId: antenna,
          rssi,
          scan: { ...first.scan, rssi, source },
        });
      }
    }
    let turns = 0;
    const watch = setInterval(() => turns++, 1);
    try {
      await statementsOf(many, new Site({ settings: [everywhere(STRENGTH)] }));
    } finally {
      clearInterval(watch);
    }
    expect(turns).to.be.above(9);
  });
});

describe('what is heard', () => {
  it('stays where settings are made for later scans, which hold for these', async () => {
    const first = { ...everywhere(STRENGTH), id: 1 };
    const later = (validFrom: number, id: number) => ({
      ...everywhere({ procedure: 'every' }, validFrom),
      id,
    });
    const heard = await hearing(scans('0 A:-60, 0.1 B:-60, 1 A:-60'), new Site({ settings: [first] }));
    expect(heard.moveTo(new Site({ settings: [{ ...first }, later(SECOND, 2)] }))).to.equal(false);
    expect(heard.moveTo(new Site({ settings: [first], layout: 1 }))).to.equal(false);
    const planned = later(1.1 * SECOND, 3);
    expect(heard.moveTo(new Site({ settings: [{ ...first }, planned] }))).to.equal(true);
    await addScans(heard, scans('1.05 B:-60, 1.1 B:-60'));
    const { statements } = await statementsIn(heard, { from: 0, to: 10 });
    expect(statements.map(({ observedAt, locationId }) => [observedAt, locationId])).to.deep.equal([
      [1.1 * SECOND, locationOf('B')],
    ]);
    // Not any more, once a scan is later.
    expect(heard.moveTo(new Site({ settings: [first] }))).to.equal(false);
  });
});

function rectangle(left: number, top: number, right: number, bottom: number) {
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
}
