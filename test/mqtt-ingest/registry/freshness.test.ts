import { expect } from 'chai';
import { Freshness } from '../../../services/mqtt-ingest/registry/freshness.ts';

describe('work that waits for registrations', () => {
  it('waits for one load, however often something is changed meanwhile', async () => {
    let loads = 0;
    const freshness: Freshness = new Freshness({
      load: async () => {
        loads++;
        // Another change comes during each load, until work goes on or ten loads have not helped.
        if (!isDone && loads < 10) {
          freshness.announced();
        }
        return { isWhole: false };
      },
      onFault: (error) => {
        throw error;
      },
    });
    let isDone = false;
    const heard = performance.now();
    freshness.follow({ isConnected: () => true, heardUntil: () => heard, ask: () => {} });
    freshness.announced();
    await new Promise<void>((resolve, reject) =>
      freshness.whenFresh(() => {
        isDone = true;
        resolve();
      }, reject),
    );
    freshness.close();
    expect(loads).to.equal(1);
  });
});
