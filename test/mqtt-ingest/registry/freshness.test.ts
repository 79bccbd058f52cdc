import { setTimeout as pause } from 'node:timers/promises';
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

  it('waits for a late reply as long as everything took to load, which takes no less where replies are late', async () => {
    let loads = 0;
    const freshness: Freshness = new Freshness({
      load: async () => {
        loads++;
        await pause(1_000);
        return { isWhole: true };
      },
      onFault: (error) => {
        throw error;
      },
    });
    const connection = { isConnected: true, looks: 0 };
    freshness.follow({
      isConnected: () => {
        connection.looks += 1;
        if (connection.looks === 2) {
          freshness.heard(performance.now());
        }
        return connection.isConnected;
      },
      heardUntil: () => Number.NEGATIVE_INFINITY,
      ask: () => {},
    });
    await freshness.refresh();
    const goesOnOnceStale = async () => {
      while (freshness.isFresh()) {
        await pause(10);
      }
      await new Promise<void>((resolve, reject) => freshness.whenFresh(resolve, reject));
    };
    await goesOnOnceStale();
    expect(loads).to.equal(1);
    connection.isConnected = false;
    await goesOnOnceStale();
    expect(loads).to.equal(2);
    freshness.close();
  });
});
