import { expect } from 'chai';
import { listen } from '../../../db/timescale/connections/listen.ts';
import { MOVES_WRITTEN, organizationsOf } from '../../../domain/moves/sealing/announcements.ts';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';
import { useDatabase } from '../../support/database.ts';

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
});
