import { expect } from 'chai';
import fc from 'fast-check';
import { history } from '../../../../domain/tracking/history/history.ts';
import { countingScans, type Seen } from '../../../../domain/tracking/smoothing/counting.ts';
import {
  type DatedSmoothing,
  type Smoothing,
  SmoothingSettings,
} from '../../../../domain/tracking/smoothing/settings.ts';
import { decidedHistoryByDefinition } from '../../../support/sightings.ts';
import { aSeen, countingByDefinition, someSettings } from '../../../support/smoothing-by-definition.ts';

const SECOND = 1_000_000;

describe('smoothing', () => {
  const LOCATIONS = ['A', 'B', 'C', 'D'];
  const always = (smoothing: DatedSmoothing['smoothing'], locationId: number | null = null) => ({
    locationId,
    validFrom: 0,
    smoothing,
  });
  const within = (window: number, proofs: { minimum?: number; margin?: number }): Smoothing => ({
    window: window * SECOND,
    minimum: proofs.minimum === undefined ? null : proofs.minimum * SECOND,
    margin: proofs.margin ?? null,
  });

  /** Reads as a line: second, location, and after `:` its strength or `hand` where a person made it. */
  const scans = (line: string): Seen[] =>
    line.split(' ').map((word) => {
      const [, second = '', location = '', rest] = /^(\d+)([A-D])(?::(.+))?$/.exec(word) ?? [];
      const isByPerson = rest === 'hand';
      return {
        observedAt: Number(second) * SECOND,
        locationId: LOCATIONS.indexOf(location),
        rssi: rest === undefined || isByPerson ? null : Number(rest),
        isByPerson,
      };
    });
  const stays = (line: string, ...dated: DatedSmoothing[]) =>
    history(countingScans(scans(line), new SmoothingSettings(dated)))
      .map(({ observedAt, locationId }) => `${observedAt / SECOND}${LOCATIONS[locationId]}`)
      .join(' ');

  describe('by a minimum time of 5 seconds, in a window of 20', () => {
    const setting = always(within(20, { minimum: 5 }));
    const examples: [string, string, string][] = [
      ['counts where an asset is first seen at once', '0A', '0A'],
      ['counts what is seen nowhere else', '0A 3A 90A', '0A'],
      ['leaves out a stray read', '0A 3A 6B 9A 12A', '0A'],
      ['leaves out two antennas that take turns', '0A 1B 2A 3B 4A 5B 6A 7B 8A 9B', '0A'],
      ['leaves out a visit that is too short', '0A 3A 6B 8B 10B 12A 15A', '0A'],
      ['counts a move that lasts, from the first sighting', '0A 3A 6B 8B 11B 12B', '0A 6B'],
      ['counts a move from the last change of location', '0A 3A 6B 7A 8B 9B 13B', '0A 8B'],
      ['counts a move away and back that both last', '0A 6A 7B 12B 13A 18A', '0A 7B 13A'],
      ['counts a single read after a silence of a window', '0A 3A 24B', '0A 24B'],
      ['has no proof in a read before the silence', '0A 3A 6B 90B', '0A 90B'],
      ['leaves an asset where it was as long as it is in doubt', '0A 1B 2A 3B 4A 5B 10B', '0A 5B'],
      ['counts what a person says at once', '0A 3A 4B:hand', '0A 4B'],
      ['asks of readers for proof against a person, too', '0A 4B:hand 5A 6A 8A 9B 10A 15A', '0A 4B 10A'],
      ['cares for no strength', '0A:-60 3A:-60 6B:-20 9A:-60', '0A'],
    ];
    for (const [promise, line, expected] of examples) {
      it(`${promise}: ${line}`, () => expect(stays(line, setting)).to.equal(expected));
    }
  });

  describe('by a margin of 6 dB, in a window of 20 seconds', () => {
    const setting = always(within(20, { margin: 6 }));
    const examples: [string, string, string][] = [
      ['counts a move to where it is that much stronger', '0A:-60 5B:-54 6B:-70', '0A 5B'],
      ['leaves out what is not', '0A:-60 5B:-55 6A:-58 7B:-53', '0A'],
      ['compares with the strongest of the window', '0A:-50 5A:-60 10B:-52 21B:-54', '0A 21B'],
      ['compares with every other location', '0A:-60 5C:-59 10B:-54 11B:-53', '0A 11B'],
      ['takes the strongest of its own', '0A:-60 5B:-50 6A:-40 8B:-34 9B:-60', '0A 5B 6A 8B'],
      ['has nothing to compare without strengths', '0A 5B:-20 6A:-20 9B', '0A'],
      ['cares for no time', '0A:-60 1B:-60 9B:-60 15B:-60', '0A'],
    ];
    for (const [promise, line, expected] of examples) {
      it(`${promise}: ${line}`, () => expect(stays(line, setting)).to.equal(expected));
    }
  });

  it('takes either proof where both are asked for', () => {
    const both = always(within(20, { minimum: 5, margin: 6 }));
    expect(stays('0A:-60 5B:-50', both)).to.equal('0A 5B');
    expect(stays('0A:-60 5B:-60 10B:-60', both)).to.equal('0A 5B');
    expect(stays('0A:-60 5B:-60 9B:-60 10A:-60', both)).to.equal('0A');
  });

  it("goes by the setting of the location moved to, and the organization's where it has none", () => {
    const organization = always(within(20, { minimum: 5 }));
    const strict = always(within(20, { minimum: 10 }), LOCATIONS.indexOf('B'));
    const line = '0A 3B 8B 9A 14A 15C 16A';
    expect(stays(line, organization)).to.equal('0A 3B 9A');
    expect(stays(line, organization, strict)).to.equal('0A');
    expect(stays(line, organization, always('off', LOCATIONS.indexOf('C')))).to.equal('0A 3B 9A 15C');
    expect(stays(line, strict)).to.equal('0A 15C 16A');
    expect(stays(line, organization, strict, always('inherit', LOCATIONS.indexOf('B')))).to.equal('0A 3B 9A');
  });

  describe('of scans at one instant', () => {
    const setting = always(within(20, { minimum: 5 }));
    const atB = always(within(20, { minimum: 5 }), LOCATIONS.indexOf('B'));
    const off = { ...always('off'), validFrom: 4 * SECOND };
    const examples: [string, string, string, DatedSmoothing[]][] = [
      ["keeps the handheld's", '0A 3A 4B:hand 4A:-40 5B 9B', '0A 4B', [setting]],
      ["keeps the handheld's where it says that the asset stays", '0A 3A 4A:hand 4B:-40 9B', '0A', [setting]],
      [
        'keeps it where only the location it was made at is smoothed',
        '0A 4B:hand 4A:-40 5B 9B',
        '0A 4B',
        [atB],
      ],
      ["keeps it where only the reader's location is smoothed", '0A 4C:hand 4B:-40 5C', '0A 4C', [atB]],
      [
        'keeps of two handhelds the one with the smaller location',
        '0C 4B:hand 4A:hand 4C:-40',
        '0C 4A',
        [setting],
      ],
      ['keeps the stronger where neither location is smoothed', '0A 4C:hand 4A:-40 5A', '0A', [atB]],
      ['keeps the stronger where smoothing is off by then', '0A 4B:hand 4A:-40 5A', '0A', [setting, off]],
    ];
    for (const [promise, line, expected, dated] of examples) {
      it(`${promise}: ${line}`, () => expect(stays(line, ...dated)).to.equal(expected));
    }
  });

  it('goes by the setting that held when a scan was observed', () => {
    const off = { ...always('off'), validFrom: 10 * SECOND };
    const line = '0A 3B 4A 10B 11A';
    expect(stays(line, always(within(20, { minimum: 5 })), off)).to.equal('0A 10B 11A');
  });

  it('is what its definition says, and nothing where it is off (10,000 random sets)', () => {
    fc.assert(
      fc.property(fc.array(aSeen, { maxLength: 40 }), someSettings, (seen, dated) => {
        const counting = countingScans(seen, new SmoothingSettings(dated));
        const essence = (all: readonly Seen[]) =>
          all.map(({ observedAt, locationId }) => ({ observedAt, locationId }));
        expect(essence(counting)).to.deep.equal(essence(countingByDefinition(seen, dated)));
        const off = history(countingScans(seen, new SmoothingSettings([])));
        expect(off).to.deep.equal(decidedHistoryByDefinition(seen));
      }),
      { numRuns: 10_000 },
    );
  });

  it('bears on nothing beyond a window of a scan (10,000 random sets)', () => {
    fc.assert(
      fc.property(fc.array(aSeen, { maxLength: 40 }), aSeen, someSettings, (seen, late, dated) => {
        const settings = new SmoothingSettings(dated);
        const reach = settings.reach(late.observedAt, late.observedAt);
        const beyond = (all: readonly Seen[]) =>
          countingScans(all, settings)
            .filter(({ observedAt }) => Math.abs(observedAt - late.observedAt) > reach)
            .map(({ observedAt, locationId }) => ({ observedAt, locationId }));
        expect(beyond([...seen, late])).to.deep.equal(beyond(seen));
      }),
      { numRuns: 10_000 },
    );
  });

  it('never takes back, for later scans, what counted (10,000 random sets)', () => {
    fc.assert(
      fc.property(fc.array(aSeen, { maxLength: 40 }), someSettings, fc.nat(40), (seen, dated, cut) => {
        const settings = new SmoothingSettings(dated);
        const ordered = seen.toSorted((a, b) => a.observedAt - b.observedAt);
        const end = ordered[cut]?.observedAt ?? Number.POSITIVE_INFINITY;
        const early = countingScans(
          ordered.filter(({ observedAt }) => observedAt < end),
          settings,
        );
        const all = new Set(countingScans(ordered, settings).map(({ observedAt }) => observedAt));
        expect(early.filter(({ observedAt }) => !all.has(observedAt))).to.deep.equal([]);
      }),
      { numRuns: 10_000 },
    );
  });
});
