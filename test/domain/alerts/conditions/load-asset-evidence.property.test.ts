import { expect } from 'chai';
import { useDatabase } from '../../../support/database.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { END, EXPECTED } from './random-course.ts';
import { coursesAtOneSite, RecordedCourses } from './recorded-course.ts';
import { stretchesByDefinition } from './stretches-by-definition.ts';

const CASES = Math.max(8, randomSets(30));

describe('the evidence that is loaded', () => {
  const database = useDatabase();

  it('gives the stretches that counting says (30 random cases at most), whatever came late', async () => {
    let met = 0;
    for (let index = 0; index < CASES; index++) {
      const random = new Random(101, index);
      const site = coursesAtOneSite(random);
      const recorded = await RecordedCourses.record(database, site, random);
      const since = random.below(END);
      const window = { since, until: since + 1 + random.below(END - since) };
      const expected = site.courses.map((course) =>
        stretchesByDefinition(course, EXPECTED, window.until).filter(
          ({ until }) => until === null || until > window.since,
        ),
      );
      // One that began before the window may have begun earlier than can be told.
      const told = (stretches: typeof expected) =>
        stretches.map((own) => own.map((stretch) => ({ ...stretch, since: Math.max(stretch.since, since) })));
      const found = await recorded.stretches(window);
      expect(told(found), `case ${index}`).to.deep.equal(told(expected));
      met += expected.flat().length;
    }
    expect(met).to.be.greaterThan(CASES / 2);
  });
});
