import { expect } from 'chai';
import { AppError } from '../../../../base/errors.ts';
import { requireSmoothing, type Setting } from '../../../../domain/tracking/smoothing/require-smoothing.ts';
import type { Smoothing } from '../../../../domain/tracking/smoothing/settings.ts';

const SECOND = 1_000_000;
const SOUND: Smoothing = { window: 30 * SECOND, minimum: 5 * SECOND, margin: 6 };

describe('a smoothing setting', () => {
  const refusal = (smoothing: Setting['smoothing'], isOfLocation = true) => {
    try {
      requireSmoothing(smoothing, { isOfLocation });
      return null;
    } catch (error) {
      return error instanceof AppError ? error.message : error;
    }
  };

  const WINDOW = 'The window (window_seconds) must be a whole number of seconds from 1 to 600, such as 30';
  const MINIMUM = 'The minimum time (min_seconds) must be a whole number of seconds from 1 to';
  const MARGIN = 'The margin (margin_db) must be above 0 and at most 100 dB, such as 6';
  const refused: [string, Partial<Smoothing>, string][] = [
    ['a window over ten minutes', { window: 601 * SECOND }, WINDOW],
    ['a window of part of a second', { window: 30.5 * SECOND }, WINDOW],
    ['no window', { window: 0 }, WINDOW],
    ['a minimum time over the window', { minimum: 31 * SECOND }, `${MINIMUM} 30, the window, such as 5`],
    [
      'a minimum time over a window of 3 seconds',
      { window: 3 * SECOND },
      `${MINIMUM} 3, the window, such as 3`,
    ],
    ['a margin of 0', { margin: 0 }, MARGIN],
    ['a margin over 100 dB', { margin: 100.5 }, MARGIN],
    [
      'neither minimum time nor margin',
      { minimum: null, margin: null },
      'Smoothing must have a minimum time (min_seconds, such as 5), a margin (margin_db, such as 6), or both',
    ],
  ];
  for (const [what, changes, message] of refused) {
    it(`names the field, what is allowed and an example for ${what}`, () =>
      expect(refusal({ ...SOUND, ...changes })).to.equal(message));
  }

  it('may be at its bounds, or have one proof only', () => {
    const minute = 60 * SECOND;
    const allowed: Smoothing[] = [
      SOUND,
      { window: 10 * minute, minimum: 10 * minute, margin: 100 },
      { window: SECOND, minimum: SECOND, margin: null },
      { window: SECOND, minimum: null, margin: 0.1 },
    ];
    expect(allowed.map((smoothing) => refusal(smoothing))).to.deep.equal([null, null, null, null]);
  });

  it('is inherited by locations only', () => {
    expect(refusal('inherit')).to.equal(null);
    expect(refusal('inherit', false)).to.equal(
      'Only a location can inherit; the smoothing of an organization must be on or off',
    );
  });
});
