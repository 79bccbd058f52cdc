import { expect } from 'chai';
import { itByNight } from '../support/random-sets.ts';
import { useSimulate } from '../support/simulate.ts';

describe('the presence of assets at a simulated site', () => {
  const { api, simulated, checked } = useSimulate();

  itByNight(
    'is as it was: thefts are overdue, what only a dead reader sees is unknown, nothing else is missed',
    async () => {
      const truth = await simulated(
        ...['--readers', '6', '--format', 'tagtrail', '--assets', '60', '--rate', '40', '--duration', '34'],
        ...['--continuous', '6s', '--faults', 'theft,dead-reader,outage,night,late'],
      );
      const { status, presence, alerts, differences } = await checked('--wait', '20');
      expect({ differences, missed: presence.differences, alerts: alerts.differences, status }).to.deep.equal(
        {
          ...{ differences: [], missed: [], alerts: [], status: 0 },
        },
      );
      expect(alerts.thefts).to.have.length(2);
      expect(alerts.readers).to.equal(2);
      expect(presence.states).to.include.all.keys('present', 'overdue', 'unknown', 'never_seen');
      expect(presence.thefts.map(({ asset }: { asset: string }) => asset)).to.deep.equal(
        truth.presence?.assets.filter((each) => each.taken_at !== null).map(({ asset }) => asset),
      );
      expect(presence.thefts).to.have.length(2);
      for (const { found_after_seconds: seconds } of presence.thefts) {
        expect(seconds).to.be.within(1, 15);
      }
      const outside = await checked('--api', api.url, '--key', api.key);
      expect({ presence: outside.presence, alerts: outside.alerts }).to.deep.equal({ presence, alerts });
    },
  );
});
