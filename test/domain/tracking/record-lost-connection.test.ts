import { expect } from 'chai';
import { isConnectionLost } from '../../../db/timescale/connections/connection-lost.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { recordScans } from '../../../domain/tracking/record.ts';
import { openCuttingProxy } from '../../support/cutting-proxy.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, RULES } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const NOW = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('recording over a connection that is lost', () => {
  const database = useDatabase();

  it('fails once, with nothing besides that nobody awaits, while it writes moves', async () => {
    const site = await Site.create(database);
    const [locationId, readerId] = [await site.location('DOCK'), await site.reader('portal', [])];
    await site.asset('PALLET', 'E280');
    const proxy = await openCuttingProxy(database);
    const pool = createWritePool(proxy.url, { max: 1 });
    database.beforeDrop(() => pool.end());
    proxy.cutNext('before commit', (bytes) => bytes.includes('keeps_marks'));
    const read = aRead({ orgId: site.orgId, readerId, value: 'E280', locationId, at: NOW });
    const error = await inTransaction(pool, (client) =>
      recordScans(client, [read], { rules: RULES, now: NOW, isCareful: false }),
    ).catch((each) => each);
    expect(isConnectionLost(error)).to.equal(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await database.rows('select from scan_events')).to.have.lengthOf(0);
  });
});
