import { expect } from 'chai';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';
import { useDatabase } from '../../support/database.ts';
import { startSealing } from '../../support/sealing.ts';
import { newOrganization, writeUnsealed } from '../../support/unsealed.ts';

describe('waking the sealer', () => {
  const database = useDatabase();

  it('has events sealed before it would look by itself', async () => {
    const orgId = await newOrganization(database);
    const began = Promise.withResolvers<void>();
    const sealing = startSealing(database.url, {
      onBegin: began.resolve,
      onFault: (error) => {
        throw error;
      },
    });
    await began.promise;
    let events = 0;
    const timesWith = async (wake: (orgIds: readonly number[]) => void, count: number) => {
      const times: number[] = [];
      while (times.length < count) {
        events += 1;
        await writeUnsealed(database, orgId, 1);
        const since = performance.now();
        wake([orgId]);
        while ((await database.rows('select from moves')).length < events) {
          // Asked again; the suite's time limit is the bound.
        }
        times.push(performance.now() - since);
      }
      return times.toSorted((a, b) => a - b)[Math.floor(count / 2)] as number;
    };
    const unasked = await timesWith(() => {}, 5);
    const woken = await timesWith(wakeSealer(database.pool), 15);
    await sealing.stop();
    expect(woken * 4).to.be.below(unasked);
  });
});
