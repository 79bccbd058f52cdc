import { expect } from 'chai';
import { askServer, CONTROL_DATA, UNTOLD } from '../../../db/timescale/connections/ask-server.ts';
import { faultOfServers } from '../../../db/timescale/connections/choose-primary.ts';
import { useDatabase } from '../../support/database.ts';

describe('a server that is asked what it is', () => {
  const database = useDatabase();
  const ask = () => {
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    return askServer(
      { host: hostname, port: Number(port) },
      // A role that may do next to nothing, also where the login of the tests may do everything.
      { ...login, database: pathname.slice(1), options: '-c role=tagtrail_people' },
    );
  };

  it('is gone to without its control data, where a managed service keeps that to itself', async () => {
    const whole = await ask();
    expect(whole).to.include({ standing: 'primary' });
    expect(whole.system).to.match(/^\d+$/);
    await database.rows(`revoke execute on function ${CONTROL_DATA} from public`);
    const untold = await ask();
    expect(untold).to.deep.equal({ ...whole, system: UNTOLD });
    expect(faultOfServers([whole, untold], () => undefined)).to.equal(null);
  });
});
