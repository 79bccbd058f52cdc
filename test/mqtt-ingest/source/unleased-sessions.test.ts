import { expect } from 'chai';
import { pino } from 'pino';
import type { Session } from '../../../services/mqtt-ingest/source/session.ts';
import { divideSessions } from '../../../services/mqtt-ingest/source/subscriber.ts';
import { until } from '../../support/subscribed-ingest.ts';

const SESSION = 'tagtrail-readers-0';

describe('sessions whose lease cannot be renewed', () => {
  const cleanUps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp()));
  });

  /** The database answers once, and then says nothing before it is back. */
  function divide(patience: number | null) {
    const told = { asked: 0, started: 0, stopped: 0 };
    const database = { ...Promise.withResolvers<void>(), isAway: false };
    const divided = divideSessions({
      ask: async () => {
        told.asked += 1;
        if (database.isAway) {
          await database.promise;
        }
        database.isAway = true;
        return { held: [SESSION], surplus: [], forgottenAt: null };
      },
      giveBack: async () => {},
      start: () => {
        told.started += 1;
        return sessionOf(() => {
          told.stopped += 1;
        });
      },
      isConnected: () => true,
      patience,
      log: pino({ level: 'silent' }),
    });
    cleanUps.push(async () => {
      database.resolve();
      await divided.stop();
    });
    return { divided, told, comeBack: database.resolve };
  }

  it('are left to others where these get nothing before, and held again when the database is back', async () => {
    const { divided, told, comeBack } = divide(20);
    await until(() => told.stopped === 1);
    expect([divided.all().length, divided.areLeft()]).to.deep.equal([0, true]);
    comeBack();
    await until(() => {
      divided.ask();
      return told.started === 2;
    });
  });

  it('are held where the broker gives them to another that connects', async () => {
    const { divided, told } = divide(null);
    await until(() => {
      divided.ask();
      return told.asked === 2;
    });
    expect([told.started, told.stopped, divided.all().length]).to.deep.equal([1, 0, 1]);
    expect(divided.areLeft()).to.equal(false);
  });
});

function sessionOf(onStop: () => void): Session {
  const figures = { connections: 1, received: 0, committed: 0, subscribed: 0, refused: 0 };
  return {
    figures: () => figures,
    isConnected: () => true,
    quietFor: () => 0,
    fault: () => new Error('none'),
    follow: () => {},
    drain: async () => {},
    stop: async (drained) => {
      await drained();
      onStop();
    },
  };
}
