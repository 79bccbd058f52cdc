import { expect } from 'chai';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('where an antenna was, and whether it was enabled,', () => {
  const database = useDatabase();

  it('is kept, each from when it was set until the next', async () => {
    const site = await Site.create(database);
    const [dock, yard] = [await site.location('DOCK'), await site.location('YARD')];
    const readerId = await site.reader('portal', [dock]);
    const set = (change: object) =>
      setAntenna(databaseOn(database.pool), TEST_ACTOR, { readerId, port: 1, ...change });
    await set({ locationExternalKey: 'YARD' });
    await set({ minRssi: -60 });
    await set({ isEnabled: false });
    await set({ isEnabled: true, locationExternalKey: null });
    const versions = await database.rows<{ location_id: number | null; is_enabled: boolean }>(
      `select location_id, is_enabled from antenna_versions
       where org_id = $1 and reader_id = $2 and port = 1 order by since`,
      [site.orgId, readerId],
    );
    expect(versions).to.deep.equal([
      { location_id: dock, is_enabled: true },
      { location_id: yard, is_enabled: true },
      { location_id: yard, is_enabled: false },
      { location_id: null, is_enabled: true },
    ]);
  });
});
