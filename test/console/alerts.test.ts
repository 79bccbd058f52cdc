import { expect } from 'chai';
import { listen } from '../../db/timescale/connections/listen.ts';
import { MOVES_WRITTEN, organizationsOf } from '../../domain/moves/sealing/announcements.ts';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';

const ID = '01KQS9Z0T4N7Q1XK5R8W2Y3C6D';

describe('alerts in the console', () => {
  const suite = useConsole();

  it('are acknowledged once, by operators, with who did and an entry in the change log', async () => {
    const asset = await Site.of(suite.database, suite.orgId).asset('PALLET');
    await suite.database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at, because)
       values ($1, $2, $2, now(), 'R', 'not_allowed', $3, now(), '{}')`,
      [suite.orgId, ID, asset],
    );
    const woken = Promise.withResolvers<readonly number[] | null>();
    const listener = await listen(suite.database.url, [MOVES_WRITTEN], {
      onNotify: (_, payload) => woken.resolve(organizationsOf(payload)),
      onReconnect: () => {},
      onLost: () => {},
    });
    const acknowledge = async (role: 'viewer' | 'operator') =>
      suite.call({ method: 'POST', path: `/alerts/${ID}/acknowledge`, token: await suite.as(role) });
    expect((await acknowledge('viewer')).status).to.equal(403);
    expect((await acknowledge('operator')).status).to.equal(204);
    // So the feed tells of it at once.
    expect(await woken.promise).to.deep.equal([suite.orgId]);
    await listener.close();
    expect((await acknowledge('operator')).status).to.equal(204);
    const { data } = (await suite.call({ path: `/alerts/${ID}` })).body;
    expect(data.state).to.equal('acknowledged');
    expect(data.acknowledged_by).to.be.a('string');
    expect(data.acknowledged_at).not.to.equal(null);
    const logged = await suite.database.rows(
      `select resource_id from changes where action = 'acknowledge' and resource_type = 'alert'`,
    );
    expect(logged).to.deep.equal([{ resource_id: ID }]);
    expect(
      await suite.database.rows(
        `select kind from unsealed_moves union all select kind from moves order by 1`,
      ),
    ).to.deep.equal([{ kind: 'alert_acknowledged' }, { kind: 'alert_opened' }]);
  });
});
