import { expect } from 'chai';
import type { Visit } from '../../../services/standalone/demo/itinerary.ts';
import { truthOf } from '../../../services/standalone/demo/once.ts';
import { micros } from '../../support/mapping.ts';

describe('what is true of an itinerary', () => {
  const visit = (location: string, enteredAt: string, leftAt: string, ...reads: string[]): Visit => ({
    location,
    enteredAt: at(enteredAt),
    leftAt: at(leftAt),
    reads: reads.map((time) => ({ at: at(time), rssi: -60 })),
  });
  const at = (time: string) => micros(`2026-05-01T${time}Z`);
  const truth = (...visits: Visit[]) => truthOf({ asset: 'PALLET-01', visits });

  it('has a row for every visit, at its first read, with the whole seconds since the row before', () => {
    expect(
      truth(
        visit('DOCK-1', '10:00:00', '10:08:00', '10:00:02.5', '10:05:00'),
        visit('AISLE-A', '10:09:00', '10:20:00', '10:10:02.499999', '10:19:59.999999'),
        visit('PACK-1', '10:30:00', '10:40:00', '10:30:03.499999'),
      ),
    ).to.deep.equal({
      asset: 'PALLET-01',
      current: { location: 'PACK-1', lastSeen: '2026-05-01T10:30:03.499Z' },
      history: [
        { at: '2026-05-01T10:00:02.500Z', location: 'DOCK-1', durationSeconds: null },
        { at: '2026-05-01T10:10:02.499Z', location: 'AISLE-A', durationSeconds: 599 },
        { at: '2026-05-01T10:30:03.499Z', location: 'PACK-1', durationSeconds: 1_201 },
      ],
    });
  });

  it('is last seen at the last read of the last visit that a reader noticed', () => {
    const { current } = truth(
      visit('DOCK-1', '10:00:00', '10:08:00', '10:01:00', '10:07:59.9999'),
      visit('AISLE-A', '10:09:00', '10:20:00'),
    );
    expect(current).to.deep.equal({ location: 'DOCK-1', lastSeen: '2026-05-01T10:07:59.999Z' });
  });

  it('knows nothing of a visit without reads, nor that the asset was away when it is back after it', () => {
    const { history, current } = truth(
      visit('AISLE-A', '09:00:00', '09:10:00'),
      visit('DOCK-1', '10:00:00', '10:08:00', '10:01:00'),
      visit('AISLE-A', '10:09:00', '10:20:00'),
      visit('DOCK-1', '10:21:00', '10:30:00', '10:22:00'),
      visit('PACK-1', '10:31:00', '10:40:00', '10:31:00'),
    );
    expect(history).to.deep.equal([
      { at: '2026-05-01T10:01:00.000Z', location: 'DOCK-1', durationSeconds: null },
      { at: '2026-05-01T10:31:00.000Z', location: 'PACK-1', durationSeconds: 1_800 },
    ]);
    expect(current?.location).to.equal('PACK-1');
  });

  it('is nowhere if it was never read', () => {
    const nowhere = { asset: 'PALLET-01', current: null, history: [] };
    expect(truth()).to.deep.equal(nowhere);
    expect(truth(visit('DOCK-1', '10:00:00', '10:08:00'))).to.deep.equal(nowhere);
  });
});
