import { expect } from 'chai';
import { listen } from '../../../db/timescale/connections/listen.ts';
import { MOVES_WRITTEN, organizationsOf } from '../../../domain/moves/sealing/written-announcement.ts';
import { startSealing } from '../../../domain/moves/start-sealing.ts';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';
import { useDatabase } from '../../support/database.ts';
import { newOrganization, writeUnsealed } from '../../support/unsealed.ts';

describe('waking the sealer', () => {
  const database = useDatabase();

  it('takes one notification for many commits at once, which names their organizations', async () => {
    const heard: (readonly number[] | null)[] = [];
    const all = Promise.withResolvers<void>();
    const listener = await listen(database.url, [MOVES_WRITTEN], {
      onNotify: (_, payload) => {
        heard.push(organizationsOf(payload));
        if (heard.at(-1)?.includes(999) === true) {
          all.resolve();
        }
      },
      onReconnect: () => {},
      onLost: () => {},
    });
    const wake = wakeSealer(database.pool);
    for (let commit = 0; commit < 1_000; commit++) {
      wake([commit % 3]);
    }
    wake([999]);
    await all.promise;
    await listener.close();
    expect(heard[0]).to.deep.equal([0]);
    expect(heard).to.have.length(2);
    expect(heard[1]).to.have.members([0, 1, 2, 999]);
  });

  it('names none where there are too many, or it does not know', async () => {
    const heard = Promise.withResolvers<readonly number[] | null>();
    const listener = await listen(database.url, [MOVES_WRITTEN], {
      onNotify: (_, payload) => heard.resolve(organizationsOf(payload)),
      onReconnect: () => {},
      onLost: () => {},
    });
    wakeSealer(database.pool)(Array.from({ length: 10_000 }, (_, index) => 1_000_000 + index));
    expect(await heard.promise).to.equal(null);
    await listener.close();
  });

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
