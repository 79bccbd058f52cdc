import { expect } from 'chai';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { OrganizationGone } from '../../../domain/messages/require-here.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('a message of an organization that moves to another cell', () => {
  const database = useDatabase();

  it('is not acknowledged, however late its transaction begins, and those beside it are', async () => {
    const [moving, staying] = [await Site.create(database, 'Moving'), await Site.create(database, 'Staying')];
    const readers: number[] = [];
    for (const [name, site] of Object.entries({ moving, staying, beside: staying })) {
      await site.asset(`PALLET-${name}`, name);
      readers.push(await site.reader(name, [await site.location(`DOCK-${name}`)]));
    }
    const pool = createWritePool(database.url, { max: 1 });
    database.beforeDrop(() => pool.end());
    const intake = await openIntake(database, pool);
    const send = (name: string) =>
      intake.receive(name, JSON.stringify({ value: name })).then(
        () => 'acknowledged',
        (error) => (error instanceof OrganizationGone ? 'refused' : error),
      );
    // As if the process stood still from when it has judged the messages on.
    const connection = await pool.connect();
    const sent = ['moving', 'staying', 'beside', 'moving', 'beside', 'moving'].map(send);
    await database.rows('update organizations set deleted_at = now(), held_at = now() where id = $1', [
      moving.orgId,
    ]);
    connection.release();
    expect(await Promise.all(sent)).to.deep.equal([
      'refused',
      'acknowledged',
      'acknowledged',
      'refused',
      'acknowledged',
      'refused',
    ]);
    const counted = await database.rows<{ reader_id: number; messages: number }>(
      'select reader_id, messages::int4 from reader_counters order by reader_id',
    );
    expect(counted).to.deep.equal([
      { reader_id: readers[1], messages: 1 },
      { reader_id: readers[2], messages: 2 },
    ]);
    expect(intake.reported).to.deep.equal({ outages: [], poison: [] });
    expect(await database.rows('select from rejected_messages')).to.deep.equal([]);
  });
});
