import { expect } from 'chai';
import { pino } from 'pino';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startGateway } from '../../services/handheld-gateway/start.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { gatewayConfig } from '../support/gateway.ts';
import { Site } from '../support/site.ts';

describe('the time a handheld’s token was last used', () => {
  const database = useDatabase();

  it('is that of a request that was taken, and not of one that was refused', async () => {
    const { orgId } = await Site.create(database);
    const create = (name: string) => createHandheld(databaseOn(database.pool), TEST_ACTOR, { orgId, name });
    const [used, guessed, revoked] = [await create('used'), await create('guessed'), await create('revoked')];
    await database.rows('update handhelds set revoked_at = now() where id = $1', [revoked.id]);
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    const { url } = await startGateway(gatewayConfig(database.url), log, lifecycle);
    const ask = async (token: string) =>
      (await fetch(`${url}/handheld/v1/locations`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await ask(used.token)).to.equal(200);
    expect(await ask(`${guessed.token.slice(0, -3)}xyz`)).to.equal(401);
    expect(await ask(revoked.token)).to.equal(401);
    await lifecycle.stop();
    const rows = await database.rows<{ name: string }>(
      'select name from handhelds where last_used_at between created_at and now()',
    );
    expect(rows).to.deep.equal([{ name: 'used' }]);
    expect(await database.rows('select from handhelds where last_used_at is not null')).to.have.lengthOf(1);
  });
});
