import { expect } from 'chai';
import { faultOfReplica, isAsFar } from '../../../db/timescale/connections/replica-position.ts';

describe('the position of a replica', () => {
  const common = { timeline: '00000002', system: '7', database: 'tagtrail', now: 0 };
  const primary = { ...common, lsn: '0/5000' };
  const replica = { ...common, is_standby: true, role: 'tagtrail_api', behind: 0 };

  it('is far enough where it has replayed as much of the same log', () => {
    for (const [difference, is] of [
      [{}, true],
      [{ behind: -8 }, true],
      [{ behind: 8 }, false],
      [{ behind: null }, false],
      // It went on behind a former primary, further than the new one has come.
      [{ behind: -8, timeline: '00000001' }, false],
      [{ is_standby: false }, false],
    ] as const) {
      expect(isAsFar({ ...replica, ...difference }, primary), JSON.stringify(difference)).to.equal(is);
    }
  });

  it('says nothing of another database, or as another role', () => {
    expect(faultOfReplica(replica, primary, 'tagtrail_api')).to.equal(null);
    for (const difference of [{ system: '8' }, { database: 'postgres' }]) {
      expect(faultOfReplica({ ...replica, ...difference }, primary, 'tagtrail_api')).to.match(
        /another database/,
      );
    }
    expect(faultOfReplica({ ...replica, role: 'owner' }, primary, 'tagtrail_api')).to.match(/as owner/);
  });
});
