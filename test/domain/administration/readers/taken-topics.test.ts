import { expect } from 'chai';
import fc from 'fast-check';
import {
  refuseTakenName,
  refuseTakenTopic,
  TopicTaken,
} from '../../../../domain/administration/readers/registration.ts';
import { isWildcard, topicMatches, topicsOverlap } from '../../../../domain/administration/readers/topic.ts';
import { findReaderByTopic, loadReaders } from '../../../../domain/messages/load-readers.ts';
import { useDatabase } from '../../../support/database.ts';
import { MeasuredClient } from '../../../support/measured-client.ts';
import { Site } from '../../../support/site.ts';

describe('the topic of a new reader', () => {
  const database = useDatabase();

  /** Levels on both sides of a slash by their order, of several bytes a character, and of topics from before the limit. */
  const level = fc.constantFrom(
    '',
    'a',
    'b',
    'a!',
    'a0',
    'a.b',
    'ä',
    '😀',
    'a\nb',
    'z'.repeat(200),
    '😀'.repeat(90),
  );
  const filter = (maxLength: number) =>
    fc
      .tuple(
        fc.array(fc.oneof({ arbitrary: level, weight: 5 }, fc.constant('+')), { minLength: 1, maxLength }),
        fc.boolean(),
      )
      .map(([levels, isOpen]) => (isOpen ? [...levels, '#'] : levels).join('/'))
      .filter((topic) => topic !== '');

  const refusalOf = (topic: string, id: number | null = null) =>
    refuseTakenTopic(database.pool, { id, topic }).then(
      () => null,
      (error) => {
        expect(error).to.be.instanceOf(TopicTaken);
        return error as TopicTaken;
      },
    );

  it('is refused exactly where it overlaps one there is, of whichever organization', async () => {
    const sites = [await Site.create(database), await Site.create(database)];
    let refused = 0;
    let taken = 0;
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      await database.rows('update readers set deleted_at = now() where deleted_at is null');
      const there = new Map<string, number>();
      for (const [at, topic] of [...new Set(fc.sample(filter(5), { numRuns: 12, seed }))].entries()) {
        there.set(topic, (await sites[at % 2]?.reader(`${seed}-${at}`, [null], { topic })) ?? 0);
      }
      for (const topic of fc.sample(filter(4), { numRuns: 150, seed: 100 + seed })) {
        const overlapping = [...there.keys()].filter((each) => topicsOverlap(each, topic));
        const refusal = await refusalOf(topic);
        expect(refusal !== null, JSON.stringify([topic, overlapping])).to.equal(overlapping.length > 0);
        if (overlapping.length === 1) {
          const [only = ''] = overlapping;
          expect(refusal?.message).to.include(`overlaps with ${only} of reader ${there.get(only)} (`);
          expect(await refusalOf(topic, there.get(only))).to.equal(null);
        }
        refused += refusal === null ? 0 : 1;
        taken += refusal === null ? 1 : 0;
      }
    }
    expect([refused > 100, taken > 100], `${refused} refused, ${taken} not`).to.deep.equal([true, true]);
  });

  it('tells to whom what is published belongs, as each reader by itself would', async () => {
    const [site, other] = [await Site.create(database), await Site.create(database)];
    const deep = `a/${'b/'.repeat(30_000)}`;
    const counts = { found: 0, nobody: 0 };
    for (const seed of [21, 22, 23, 24, 25]) {
      await database.rows('update readers set deleted_at = now() where deleted_at is null');
      const there = [...new Set(fc.sample(filter(4), { numRuns: 8, seed }))];
      for (const [at, topic] of there.entries()) {
        await site.reader(`published-${seed}-${at}`, [null], { topic });
      }
      const published = fc.sample(filter(5), { numRuns: 60, seed: 100 + seed });
      const belonging = there.map((topic) => topic.replaceAll('+', 'b').replace('#', 'a/b'));
      for (const topic of [...published.filter((each) => !isWildcard(each)), ...belonging, deep]) {
        const reader = await findReaderByTopic(database.pool, new Map(), topic, null);
        const expected = there.filter((each) => topicMatches(each, topic));
        expect(reader === null, JSON.stringify([topic, expected])).to.equal(expected.length === 0);
        expect([...expected, undefined]).to.include(reader?.topic);
        expect(await findReaderByTopic(database.pool, new Map(), topic, other.orgId)).to.equal(null);
        counts[reader === null ? 'nobody' : 'found'] += 1;
      }
    }
    expect([counts.found > 20, counts.nobody > 20], JSON.stringify(counts)).to.deep.equal([true, true]);
  });

  it('is compared with those that begin like it, and loaded alone, however many readers there are', async () => {
    const many = await Site.create(database);
    const few = await Site.create(database);
    await database.rows('update readers set deleted_at = now() where deleted_at is null');
    await database.rows(
      `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       select $1::integer, 'r' || at, 'org-' || $1 || '/' || at || '/+', 'tagtrail', 'many-' || at, sha256('')
       from generate_series(1, 5000) at`,
      [many.orgId],
    );
    await database.rows('analyze readers');
    const measured = await MeasuredClient.connect(database.url, 'auto', true);
    const statements = await measured.measure(async (client) => {
      const reader = { orgId: few.orgId, id: null, name: 'new', topic: `org-${few.orgId}/+/new` };
      await refuseTakenName(client, reader);
      await refuseTakenTopic(client, reader);
      const readerIds = [
        (await database.rows<{ id: number }>('select max(id) as id from readers'))[0]?.id ?? 0,
      ];
      await loadReaders(client, new Map(), { readerIds, topics: [`org-${many.orgId}/7/+`] });
      await findReaderByTopic(client, new Map(), `org-${many.orgId}/7/a`, null);
    });
    await measured.client.end();
    for (const [text, { rows, scanned }] of statements) {
      expect(scanned, text).not.to.include('readers');
      expect(rows, text).to.be.below(50);
    }
    expect(statements.size).to.be.at.least(3);
  });
});
