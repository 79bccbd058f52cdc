import { expect } from 'chai';
import { mapBriefly, mapMessage } from '../../../../domain/formats/mapping/run.ts';
import { COSTLY_FORMATS } from '../../../support/costly-formats.ts';
import { timeOf } from '../../../support/held-loop.ts';
import { formatOf, itemsOf, map } from '../../../support/mapping.ts';

describe('decoding', () => {
  it('work grows with the payload, not with its square', () => {
    const heavy = formatOf({
      each: '/items/*',
      fields: {
        tag_type: [{ const: 'rfid' }],
        value: [
          { root: '/long', transform: ['hex', 'mac'] },
          { join: [{ root: '/long' }, { root: '/long' }] },
          { root: '' },
          { root: '/items', where: [{ element: '/x', exists: true }], take: '/x' },
        ],
        reader: [{ root: '/long' }],
      },
    });
    const ofSize = (size: number) => {
      const payload = { long: 'a'.repeat(size * 90), items: Array.from({ length: size }, () => ({})) };
      return timeOf(() => expect(itemsOf(map(heavy, payload))).to.have.length(size));
    };
    // Four times the size: sixteen times the work, if it were with the square.
    // The clock has ticks of some milliseconds.
    expect(ofSize(10_000)).to.be.below(8 * Math.max(ofSize(2_500), 10));
  });

  for (const [what, format, payload] of COSTLY_FORMATS) {
    it(`gives up ${what} before others have waited long`, () => {
      const message = { topic: 'a', payload: Buffer.from(payload) };
      expect(timeOf(() => mapBriefly(format, message))).to.be.lessThan(100);
      expect(timeOf(() => mapMessage(format, message))).to.be.lessThan(500);
    });
  }
});
