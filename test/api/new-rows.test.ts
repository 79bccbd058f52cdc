import { expect } from 'chai';
import { waits } from '../support/concurrently.ts';
import { useClient } from '../support/contract-client.ts';

describe('new rows', () => {
  const client = useClient();
  const list = (query: string) => client.keys(`/assets?${query}`);

  it('can be older than what was read already, and are found past it, from the newest on', async () => {
    const { database, orgId } = client.api;
    await client.make('assets', { external_key: 'FIRST' });
    const { id } = await client.make('locations');
    // Somebody is about to attach the same tag: the create waits, its `created_at` settled, and commits behind a later one.
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query(
      `insert into tags (org_id, location_id, tag_type, value, tag_key) values ($1, $2, 'rfid', 'WANTED', 'WANTED')`,
      [orgId, id],
    );
    const tags = [{ tag_type: 'rfid', value: 'WANTED' }];
    const late = client.make('assets', { external_key: 'LATE', tags });
    expect(await waits(database, late)).to.equal(true);
    await client.make('assets', { external_key: 'QUICK' });
    expect(await list('sort=created_at')).to.deep.equal(['FIRST', 'QUICK']);
    await other.query('rollback');
    other.release();
    await late;
    expect(await list('sort=created_at&offset=2')).to.deep.equal(['QUICK']);
    expect(await list('sort=-created_at')).to.deep.equal(['QUICK', 'LATE', 'FIRST']);
  });
});
