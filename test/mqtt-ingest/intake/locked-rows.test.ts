import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';
import { untilWaiting } from '../../support/until-waiting.ts';

describe('a message for which another session holds a lock', () => {
  const database = useDatabase();

  it('waits and is recorded later, with those after it, while other readers go on', async () => {
    const { log, lines } = recordedLog();
    const lifecycle = new Lifecycle(log);
    database.beforeDrop(() => lifecycle.stop());
    const sites = [await Site.create(database, 'Locked'), await Site.create(database, 'Other')] as const;
    const names = ['locked', 'beside', 'other'];
    // Even ids, so that all share a lane.
    await database.rows('alter sequence readers_id_seq increment 2 restart 2');
    for (const [index, name] of names.entries()) {
      const site = name === 'other' ? sites[1] : sites[0];
      await site.asset(`PALLET-${name}`, `E28${index}`);
      await site.reader(name, [await site.location(`DOCK-${name}`), await site.location(`YARD-${name}`)]);
    }
    const { port } = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle);
    const clients = new Map(names.map((name) => [name, connectReader(port, name)]));
    database.beforeDrop(() => Promise.all([...clients.values()].map((client) => client.endAsync(true))));
    await Promise.all([...clients.values()].map(connected));
    const acknowledged: string[] = [];
    const send = async (name: string, antenna: number) => {
      const read = { value: `E28${names.indexOf(name)}`, antenna };
      await clients.get(name)?.publishAsync(name, JSON.stringify(read), { qos: 1 });
      acknowledged.push(`${name} ${antenna}`);
    };
    const large = async (message: string) => {
      await clients.get('locked')?.publishAsync('locked', message, { qos: 1 });
    };
    await Promise.all(names.map((name) => send(name, 1)));
    acknowledged.length = 0;
    const late = await inTransaction(database.pool, async (transaction) => {
      await transaction.query('select from positions where asset_id = 1 for update');
      const sent = [send('locked', 2)];
      await untilWaiting(database, 1);
      sent.push(send('locked', 1));
      await Promise.all([send('beside', 2), send('other', 2)]);
      // In a batch with what is blocked, and after it.
      sent.push(send('locked', 2));
      await Promise.all([send('beside', 1), send('other', 1)]);
      expect(acknowledged).to.have.members(['beside 2', 'other 2', 'beside 1', 'other 1']);
      // The watch over other readers goes on, also while a large message waits behind.
      const reads = Array.from({ length: 1_001 }, (_, at) => ({ value: `UNKNOWN-${at}`, antenna: 1 }));
      sent.push(large(JSON.stringify({ reads })));
      const since = Date.now();
      while ((await watchedUntil(database)) < since) {
        await send('other', 1);
      }
      acknowledged.splice(4);
      return sent;
    });
    await Promise.all(late);
    expect(acknowledged.slice(4)).to.deep.equal(['locked 2', 'locked 1', 'locked 2']);
    const rows = await database.rows<{ name: string }>(
      `select name from location_transitions
       join locations on locations.org_id = location_transitions.org_id and locations.id = location_id
       where asset_id = 1 order by observed_at`,
    );
    const [dock, yard] = ['DOCK-locked', 'YARD-locked'];
    expect(rows.map(({ name }) => name)).to.deep.equal([dock, yard, dock, yard]);
    const told = lines.filter(({ msg }) => msg.includes('wait unacknowledged for a lock'));
    expect(told.map(({ reader }) => reader)).to.deep.equal(['locked']);
    expect(lines.filter(({ msg }) => msg.startsWith('Database unavailable'))).to.deep.equal([]);
  });
});

/** In milliseconds. */
async function watchedUntil(database: TestDatabase): Promise<number> {
  const [row] = await database.rows<{ ms: number | null }>(
    'select extract(epoch from max(ended_at))::float8 * 1000 as ms from intake_watches',
  );
  return row?.ms ?? 0;
}
