import { connectAsync } from 'mqtt';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import type { Deed, Outcome } from './attack.ts';

/** Does it once; `turn` makes it another one each time. */
export function deedsOf(deed: Deed): (turn: number) => Promise<Outcome> {
  switch (deed.kind) {
    case 'sign in by names made up':
      return async (turn) => {
        const login = { username: `nobody-${turn}`, password: 'wrong', reconnectPeriod: 0 };
        const status = await connectAsync(deed.url, login).then(
          () => 'let in',
          () => 'refused',
        );
        return { status, retryAfter: 0 };
      };
    case 'set antennas': {
      const db = databaseOn(createWritePool(deed.databaseUrl, { max: 1 }));
      return async (turn) => {
        const antenna = { readerId: deed.readerId, port: 1, locationExternalKey: 'LOC-0001' };
        await setAntenna(db, TEST_ACTOR, { ...antenna, minRssi: -40 - (turn % 30) });
        return { status: 'set', retryAfter: 0 };
      };
    }
  }
}
