import { expect } from 'chai';
import pg from 'pg';
import { SEQUENCE_USE, type SequenceUse } from '../../../db/timescale/schema/sequence-use.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('the question how many ids are used', () => {
  const database = useDatabase();

  before(async () => {
    const site = await Site.create(database);
    await site.location('DOCK');
  });

  const PLANS = [
    '',
    'set random_page_cost = 4',
    'set enable_indexscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off',
    'set enable_hashjoin = off; set enable_mergejoin = off',
    'set enable_hashjoin = off; set enable_nestloop = off',
    'set enable_seqscan = off; set enable_nestloop = off',
  ];

  for (const plan of PLANS) {
    it(`is answered by the plan that PostgreSQL makes with ${plan === '' ? 'its defaults' : plan}`, async () => {
      const client = new pg.Client(database.url);
      await client.connect();
      try {
        await client.query(plan);
        const { rows } = await client.query<SequenceUse>(SEQUENCE_USE.sql);
        const shares = new Map(rows.map(({ table, share }) => [table, share]));
        expect([...shares.keys()]).to.include.members([
          'organizations',
          'locations',
          'assets',
          'tags',
          'readers',
        ]);
        expect(shares.get('locations')).to.equal(1 / 2_147_483_647);
        expect(shares.get('assets')).to.equal(0);
      } finally {
        await client.end();
      }
    });
  }
});
