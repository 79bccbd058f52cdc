import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { itByNight } from '../support/random-sets.ts';
import { AlertingSite } from './alerting-site.ts';

describe('an asset that is taken away, and a reader that is cut off, while processes that derive alerts are killed', () => {
  const database = useDatabase();

  itByNight('make one alert of each stretch, and tell each change once', async () => {
    const site = await AlertingSite.start(database);
    await site.takeAwayAndKill();
    expect(await site.findFaults()).to.deep.equal([]);
    expect(await site.count('overdue')).to.be.above(0);
    expect(await site.count('reader')).to.be.above(0);
  });
});
