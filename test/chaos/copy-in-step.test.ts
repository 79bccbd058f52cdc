import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { Random } from '../support/random.ts';
import { itByNight } from '../support/random-sets.ts';
import { sealAll } from '../support/seal-all.ts';
import { startSealing } from '../support/sealing.ts';
import { useTypedClient } from '../support/typed-client.ts';
import { runCopy } from './copy-run.ts';
import { KeptCopy } from './kept-copy.ts';
import { RandomWrites } from './random-writes.ts';

const ROUNDS = 2;
const WRITES = 25;

describe('the example that keeps a copy in step', () => {
  const api = useApi();
  useTypedClient();

  it('has what the API has, though it is killed, and away for longer than events are kept', async () => {
    const { orgId, key } = await api.organization();
    const writes = await RandomWrites.prepare(api.database, new Random(1, 1), { orgId, url: api.url, key });
    const write = async () => {
      for (let count = 0; count < WRITES; count++) {
        await writes.write();
      }
    };
    await write();
    const sealing = startSealing(api.database.url, { onFault: () => {} });
    const copy = new KeptCopy(api.url, key);
    api.database.beforeDrop(() => copy.end());
    for (let round = 0; round < ROUNDS; round++) {
      const before = copy.read();
      await write();
      if (round > 0) {
        await copy.progressed(before);
      }
      await copy.kill();
    }
    await write();
    await sealing.stop();
    await sealAll(api.database.url);
    expect(await copy.differences()).to.deep.equal([]);
    expect(copy.read()?.moves).to.be.above(ROUNDS);
    expect(copy.read()?.changes).to.be.above(ROUNDS * WRITES);

    await write();
    await sealAll(api.database.url);
    for (const heads of ['change_heads', 'move_heads']) {
      await api.database.rows(`update ${heads} set oldest = head + 1 where org_id = $1`, [orgId]);
    }
    expect(await copy.differences()).to.deep.equal([]);
    copy.forgetHistories();
    expect(await copy.differences()).to.deep.equal([]);
    expect(writes.wrong).to.deep.equal([]);
  });

  itByNight('has what the API has, though API, sealer and the example are killed', async () => {
    const run = await runCopy(api.database, { seconds: 20, kills: 3, rate: 20, seed: Date.now() % 1_000 });
    expect(run.differences).to.deep.equal([]);
    expect(run.wrong).to.deep.equal([]);
    expect(run.moves).to.be.above(0);
    expect(run.changes).to.be.above(100);
  });
});
