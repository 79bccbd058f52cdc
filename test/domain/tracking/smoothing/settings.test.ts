import { expect } from 'chai';
import fc from 'fast-check';
import {
  type DatedSmoothing,
  MAX_WINDOW,
  SmoothingSettings,
} from '../../../../domain/tracking/smoothing/settings.ts';

const SECOND = 1_000_000;

const setting = fc.record<DatedSmoothing>({
  locationId: fc.constantFrom(null, 1, 2, 3),
  validFrom: fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 20 }).map((step) => step * 300 * SECOND), weight: 9 },
    { arbitrary: fc.constant(Number.NEGATIVE_INFINITY), weight: 1 },
  ),
  smoothing: fc.oneof(
    fc.constantFrom('off' as const, 'inherit' as const),
    fc
      .integer({ min: 1, max: 600 })
      .map((seconds) => ({ window: seconds * SECOND, minimum: SECOND, margin: null })),
  ),
});

/** As the definition has it: the last of the newest. */
function heldAt(dated: readonly DatedSmoothing[], locationId: number | null, at: number) {
  const made = dated.filter((each) => each.locationId === locationId && each.validFrom <= at);
  const newest = Math.max(...made.map(({ validFrom }) => validFrom));
  return made.findLast(({ validFrom }) => validFrom === newest)?.smoothing;
}

describe('smoothing settings', () => {
  it('hold from their dates on, the last made of equal dates', () => {
    fc.assert(
      fc.property(fc.array(setting), fc.integer({ min: -1, max: 21 }), (dated, step) => {
        const at = step * 300 * SECOND;
        const settings = new SmoothingSettings(dated);
        for (const locationId of [1, 2, 3, 4]) {
          const own = heldAt(dated, locationId, at) ?? 'inherit';
          const held = own === 'inherit' ? heldAt(dated, null, at) : own;
          expect(settings.at(locationId, at)).to.deep.equal(typeof held === 'object' ? held : null);
        }
      }),
    );
  });

  it('reach as far as the widest window in force within the widest window there can be', () => {
    fc.assert(
      fc.property(
        fc.array(setting),
        fc.integer({ min: -5, max: 25 }),
        fc.nat({ max: 10 }),
        (dated, step, length) => {
          const [from, to] = [step * 300 * SECOND, (step + length) * 300 * SECOND];
          // Settings change at whole steps, so one look at each sees them all.
          const looks = Array.from(
            { length: (to - from + 2 * MAX_WINDOW) / (300 * SECOND) + 1 },
            (_, index) => from - MAX_WINDOW + index * 300 * SECOND,
          );
          const windows = looks.flatMap((at) =>
            [null, 1, 2, 3].map((locationId) => {
              const held = heldAt(dated, locationId, at);
              return typeof held === 'object' ? held.window : 0;
            }),
          );
          expect(new SmoothingSettings(dated).reach(from, to)).to.equal(Math.max(...windows));
        },
      ),
    );
  });

  for (const [what, locations] of [
    ['one location', 1],
    ['many locations', 1_000],
  ] as const) {
    it(`are found by looking at some 20 of 5,000, made of ${what}`, () => {
      expect(looksAtSettings(5_000, locations)).to.be.within(1, 20 * SCANS);
    });
  }
});

const SCANS = 1_000;

/** How often settings are looked at for {@link SCANS} that are spread over all the time in which settings were made. */
function looksAtSettings(count: number, locations: number): number {
  let looks = 0;
  const dated = Array.from({ length: count }, (_, index): DatedSmoothing => {
    const smoothing = { window: (1 + (index % 600)) * SECOND, minimum: SECOND, margin: null };
    return {
      locationId: 1 + (index % locations),
      smoothing,
      get validFrom() {
        looks++;
        return index * SECOND;
      },
    };
  });
  const settings = new SmoothingSettings(dated);
  settings.reach(0, 0);
  looks = 0;
  for (let scan = 0; scan < SCANS; scan++) {
    const at = Math.floor((scan / SCANS) * count) * SECOND;
    settings.at(1 + (scan % locations), at);
    settings.reach(at, at);
  }
  return looks;
}
