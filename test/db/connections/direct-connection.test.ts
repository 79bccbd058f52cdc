import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import {
  faultOfConnections,
  faultOfNotifications,
  faultOfSession,
} from '../../../db/timescale/connections/direct-connection.ts';
import { useDatabase } from '../../support/database.ts';
import { startPgBouncer, usePgBouncer } from '../../support/pgbouncer.ts';

describe('the connections to the database', () => {
  const database = useDatabase();

  it('are direct where nothing stands between, as whichever role', async () => {
    expect(await faultOfConnections(database.url)).to.equal(null);
    expect(await faultOfConnections(database.url, 'tagtrail_api')).to.equal(null);
  });

  it('are asked a second time if no notification comes back', async () => {
    const clients = [0, 1].map(() => new pg.Client(connectionConfig(database.url))) as [pg.Client, pg.Client];
    await Promise.all(clients.map((client) => client.connect()));
    const [own, other] = clients;
    let asked = 0;
    const late = Object.assign(Object.create(other), {
      query: async (text: string) => {
        asked += 1;
        return asked === 1 ? null : other.query(text);
      },
    }) as pg.Client;
    expect(await faultOfNotifications(own, late, 'late')).to.equal(null);
    expect(asked).to.equal(2);
    await Promise.all(clients.map((client) => client.end()));
  });

  describe('through a pooler that passes start-up options on', () => {
    usePgBouncer();

    for (const [mode, session, notifications] of [
      ['session', null, null],
      [
        'transaction',
        'it does not keep the settings of a session from one transaction to the next',
        'notifications do not come back through it',
      ],
    ] as const) {
      it(`is told by what a session keeps and hears (${mode})`, async () => {
        const url = await startPgBouncer(database, [
          `pool_mode = ${mode}`,
          'ignore_startup_parameters = options,extra_float_digits',
        ]);
        const { options: _, ...config } = connectionConfig(url);
        const clients = [new pg.Client(config), new pg.Client(config)] as const;
        await Promise.all(clients.map((client) => client.connect()));
        expect(await faultOfSession(...clients, 'mark')).to.equal(session);
        expect(await faultOfNotifications(...clients, 'mark')).to.equal(notifications);
        await Promise.all(clients.map((client) => client.end()));
      });
    }
  });
});
