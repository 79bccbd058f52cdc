import { expect } from 'chai';
import { loadRetiredTopics } from '../../../services/mqtt-ingest/registry/registry.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('topics of deleted readers', () => {
  const database = useDatabase();

  it('are loaded for as long as a broker keeps sessions', async () => {
    const [site, gone, longGone] = [
      await Site.create(database),
      await Site.create(database),
      await Site.create(database),
    ];
    await site.reader('live', []);
    for (const [name, days] of [
      ['lately', 29],
      ['long-ago', 31],
    ] as const) {
      const id = await site.reader(name, []);
      await database.rows(`update readers set deleted_at = now() - make_interval(days => $2) where id = $1`, [
        id,
        days,
      ]);
    }
    for (const [org, name, days] of [
      [gone, 'of-gone', 29],
      [longGone, 'of-long-gone', 31],
    ] as const) {
      await org.reader(name, []);
      await database.rows(
        `update organizations set deleted_at = now() - make_interval(days => $2) where id = $1`,
        [org.orgId, days],
      );
    }
    expect((await loadRetiredTopics(database.pool, 30)).toSorted()).to.deep.equal(['lately', 'of-gone']);
  });
});
