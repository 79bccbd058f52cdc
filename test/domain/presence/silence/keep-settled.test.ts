import { expect } from 'chai';
import { inForce, type StoredExpectation } from '../../../../domain/presence/expectations.ts';
import { joined } from '../../../../domain/presence/intervals.ts';
import { silencesOf } from '../../../../domain/presence/silence/silences.ts';
import { keepSettled } from '../../../../domain/presence/silence/store-silences.ts';
import { watchedSince } from '../../../../domain/presence/silence/watched-time.ts';
import { Random } from '../../../support/random.ts';

const END = 400;
const MOST_EXPECTED = 40;

describe('silences that began before the watches that are kept', () => {
  it('stay as they are stored, and go on and end as if all watches were kept', () => {
    let open = 0;
    let cases = 0;
    for (let index = 0; index < 3_000; index++) {
      const random = new Random(67, index);
      const watched = joined(
        Array.from({ length: 3 + random.below(10) }, () => {
          const since = random.below(END - 40);
          return { since, until: since + 1 + random.below(40) };
        }),
      );
      const kept = watched.slice(random.below(watched.length));
      const settled = watchedSince(kept, kept[0]?.since ?? 0, MOST_EXPECTED);
      const until = random.below(kept[0]?.since ?? 0);
      if (settled === null || kept[0]?.since === 0) {
        continue;
      }
      const last = { since: Math.max(0, until - random.below(5)), until };
      const expectations = inForce(
        Array.from({ length: random.below(5) }, (): StoredExpectation => {
          const origin = random.pick<StoredExpectation['origin']>(['set', 'learned']);
          const expected = origin === 'set' && random.once(3) ? null : 5 + random.below(MOST_EXPECTED - 5);
          return { origin, from: random.below(END), expected };
        }),
      );
      const again = { since: settled + 1 + random.below(60), until: settled + 70 };
      const before = { heard: [last], expectations, deletedAt: null };
      const after = { ...before, heard: [last, again] };
      const stored = silencesOf({ ...before, watched });
      for (const now of [before, after]) {
        const derived = silencesOf({ ...now, watched: kept });
        expect(keepSettled({ ...now, stored, derived }, settled), `case ${index}`).to.deep.equal(
          silencesOf({ ...now, watched }),
        );
      }
      cases += 1;
      open += Number(stored.at(-1)?.until === null);
    }
    expect(cases).to.be.above(500);
    expect(open).to.be.above(200);
  });
});
