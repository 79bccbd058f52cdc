import { expect } from 'chai';
import fc from 'fast-check';
import type { Micros } from '../../../../base/instant.ts';
import {
  type EventUndone,
  type SaidBefore,
  saidBefore,
  saidOf,
} from '../../../../domain/tracking/why/said-before.ts';
import { useDatabase } from '../../../support/database.ts';
import { longestHold, timeOf } from '../../../support/held-loop.ts';
import { Site } from '../../../support/site.ts';

type History = ReadonlyMap<Micros, number>;

/** Milliseconds for which others may wait for the event loop. */
const MOST_HOLD = 250;

/** Events with what made each history of the one before, and the rows of the last; newest first. */
function recorded(histories: readonly History[]) {
  const events = histories.map((history, index): EventUndone => {
    const before = histories[index - 1] ?? new Map<Micros, number>();
    const [added, removed, changed]: [
      [Micros, number][],
      [Micros, number][],
      EventUndone['changed'][number][],
    ] = [[], [], []];
    for (const [at, location] of history) {
      const was = before.get(at);
      if (was === undefined) {
        added.push([at, location]);
      } else if (was !== location) {
        changed.push([at, location, null, was]);
      }
    }
    for (const [at, location] of before) {
      if (!history.has(at)) {
        removed.push([at, location]);
      }
    }
    return { recordedAt: index, added, removed, changed };
  });
  const rows = [...(histories.at(-1) ?? [])].map(([at, location]) => ({ at, location_id: location }));
  return { events: events.toReversed(), rows: rows.toSorted((a, b) => b.at - a.at) };
}

/** The location of the last row of each history, where the next has another. */
function byDefinition(histories: readonly History[]): SaidBefore[] {
  const said = histories.map((history) => history.get(Math.max(...history.keys())) ?? null);
  return said.flatMap((locationId, index) =>
    index === said.length - 1 || said[index + 1] === locationId || (locationId === null && index === 0)
      ? []
      : [{ locationId, until: index + 1 }],
  );
}

describe('what was said of an instant before', () => {
  const database = useDatabase();

  it('is what each earlier history said of it, whatever its changes were', () => {
    const history = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 3 })), { maxLength: 8 })
      .map((rows): History => new Map(rows));
    fc.assert(
      fc.property(fc.array(history, { minLength: 1, maxLength: 20 }), (histories) => {
        const { events, rows } = recorded(histories);
        const said = saidOf(events, rows);
        const expected = byDefinition(histories);
        // Nothing was said before it was first seen.
        const first = expected[0]?.locationId === null ? expected.slice(1) : expected;
        expect(said).to.deep.equal(first);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found in the time that the loop may be held, of 10,000 events and as many rows', () => {
    const events = Array.from(
      { length: 10_000 },
      (_, index): EventUndone => ({
        ...{ recordedAt: 10_000 - index, added: [], changed: [] },
        removed: [[-index, 1]],
      }),
    );
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ at: 10_000 - index, location_id: 1 }));
    expect(timeOf(() => saidOf(events, rows), 3)).to.be.below(MOST_HOLD);
  });

  it('does not hold the loop for long where many rows were corrected again and again', async () => {
    const site = await Site.create(database);
    const asset = { orgId: site.orgId, assetId: await site.asset('PALLET', 'E1') };
    await database.rows(
      `insert into unsealed_moves (org_id, asset_id, kind, recorded_at, rows)
       select $1, $2, 'corrected', now(), rows
       from generate_series(1, 1000), (
         select json_build_object('changed', json_agg(json_build_array(row, 1, null, 2))) as rows
         from generate_series(1::bigint, 1000) as given (row)
       ) made`,
      [site.orgId, asset.assetId],
    );
    const most = await longestHold(() => saidBefore(database.pool, asset, 2_000), 3);
    expect(most).to.be.below(MOST_HOLD);
  });
});
