import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { awaitSubscribed } from '../../../../domain/administration/readers/await-subscribed.ts';
import { setReader } from '../../../../domain/administration/readers/set-reader.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';

describe('waiting until a topic is subscribed to', () => {
  const database = useDatabase();
  const missing = (looks: number) => {
    let count = 0;
    const ask = async () => {
      count += 1;
      return count <= looks;
    };
    return { ask, count: () => count };
  };

  it('goes on until it is, and looks once without patience', async () => {
    const later = missing(3);
    expect(await awaitSubscribed(later.ask, 'a')).to.equal(true);
    expect(later.count()).to.equal(4);
    const never = missing(Number.POSITIVE_INFINITY);
    expect(await awaitSubscribed(never.ask, 'a', 0)).to.equal(false);
    expect(never.count()).to.equal(1);
  });

  it('is needed for another topic only', async () => {
    const site = await Site.create(database);
    const id = await site.reader('portal', [await site.location('DOCK')]);
    const set = (wanted: { name?: string; topic?: string }) =>
      setReader(databaseOn(database.pool), TEST_ACTOR, loadBuiltinFormats(), id, wanted);
    const { topic, isElsewhere } = await set({ name: 'Door' });
    expect(isElsewhere).to.equal(false);
    expect(await set({ name: 'Gate', topic })).to.include({ name: 'Gate', isElsewhere: false });
    expect(await set({ topic: 'another' })).to.include({ topic: 'another', isElsewhere: true });
  });
});
