import { expect } from 'chai';
import fc from 'fast-check';
import { fromDatabase, toMicros } from '../../../base/timestamps.ts';
import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { listStays } from '../../../domain/reports/stays/list-stays.ts';
import { windowOf } from '../../../domain/reports/window.ts';
import { aPast, aQuestion, LAST } from '../../support/a-past.ts';
import { useDatabase } from '../../support/database.ts';
import { randomSets } from '../../support/random-sets.ts';
import { allPages, openDoor, RecordedPast } from '../../support/recorded-past.ts';

const microsOf = (text: string) => toMicros(fromDatabase(text));
const cut = (micros: number) => Math.floor(micros / 1_000);

describe('the stays in a window of time', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openDoor(database);
  });

  const bound = fc.record({
    at: fc.integer({ min: -1, max: LAST + 1 }),
    offset: fc.constantFrom(0, 999, 1_000, 350_000),
  });
  const asked = fc.array(
    fc.record({
      question: aQuestion,
      from: bound,
      to: bound,
      field: fc.constantFrom(
        'asset_external_key' as const,
        'location_external_key' as const,
        'entered_at' as const,
      ),
      isDescending: fc.boolean(),
    }),
    { minLength: 6, maxLength: 6 },
  );

  it('are those of the scans received by then, with their seconds inside to the millisecond (up to 100 random pasts)', async () => {
    await fc.assert(
      fc.asyncProperty(aPast, asked, async (some, questions) => {
        const past = await RecordedPast.record(database, door, some);
        for (const { question, from, to, field, isDescending } of questions) {
          const window = windowOf(past.timeOf(from.at) + from.offset, past.timeOf(to.at) + to.offset);
          const expected = past.assets
            .flatMap((_, asset) => staysByDefinition(past, asset, question, window))
            .toSorted((a, b) => {
              const [x, y] = {
                asset_external_key: [a.key, b.key],
                location_external_key: [a.place, b.place],
                entered_at: [a.entered, b.entered],
              }[field] as [string, string];
              const order = x < y ? -1 : x > y ? 1 : 0;
              return (isDescending ? -order : order) || a.entered - b.entered || a.id - b.id;
            });
          const known = await past.known(question);
          const found = await allPages(question.limit, (paging) =>
            listStays(past.db, window, known, {
              ...past.filtersOf(question),
              ...paging,
              sort: [{ field, isDescending }],
            }),
          );
          expect(
            found.rows.map((row) => ({
              id: row.id,
              key: row.external_key,
              place: row.location_external_key,
              deletedAt: row.deleted_at === null ? null : microsOf(row.deleted_at),
              entered: microsOf(row.entered_at),
              left: row.left_at === null ? null : microsOf(row.left_at),
              milliseconds: row.milliseconds,
              beganBefore: row.began_before,
              goesOn: row.goes_on_after,
            })),
          ).to.deep.equal(expected);
          expect(found.totalCount).to.equal(expected.length);
        }
      }),
      { numRuns: randomSets(100), interruptAfterTimeLimit: 100_000 },
    );
  });
});

function staysByDefinition(
  past: RecordedPast,
  asset: number,
  question: Parameters<RecordedPast['counts']>[0],
  { from, to }: { from: number; to: number },
) {
  const { knownBatches, include_deleted: withDeleted } = question;
  const { id = 0, key = '' } = past.assets[asset] ?? {};
  const deletedAt = past.deletedAt(asset, knownBatches);
  if (
    !past.isAskedFor(question, asset) ||
    from >= to ||
    (!withDeleted && deletedAt !== null && deletedAt <= to)
  ) {
    return [];
  }
  return past.history(asset, knownBatches).flatMap(({ observedAt: entered, locationId }, index, history) => {
    const ends = [history[index + 1]?.observedAt, deletedAt].filter((end) => typeof end === 'number');
    const left = ends.length === 0 ? null : Math.min(...ends);
    const [first, last] = [Math.max(entered, from), Math.min(left ?? to, to)];
    const bounds = [first, ...past.treeChanges().filter((at) => at > first && at < last), last].toSorted(
      (a, b) => a - b,
    );
    const parts = bounds
      .slice(1)
      .filter(() => first < last)
      .map((end, part) => ({ begin: bounds[part] ?? 0, end }))
      .filter(({ begin, end }) => begin < end && past.counts(question, locationId, begin));
    return parts.length === 0
      ? []
      : [
          {
            id,
            key,
            place: past.places.find((each) => each.id === locationId)?.key,
            deletedAt,
            entered,
            left,
            milliseconds: parts.reduce((sum, { begin, end }) => sum + cut(end) - cut(begin), 0),
            beganBefore: entered < from,
            goesOn: left === null || left > to,
          },
        ];
  });
}
