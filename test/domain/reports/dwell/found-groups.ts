import { expect } from 'chai';
import type { DwellRow } from '../../../../domain/reports/dwell/read-dwell.ts';
import type { Asked, Group } from './dwell-by-definition.ts';

/** By the numbers of assets and places. */
interface Ids {
  assets: readonly number[];
  places: readonly number[];
}

/** Rows by the name of their group, as in the definition. */
export function groupsByName(rows: readonly DwellRow[], asked: Asked, ids: Ids): Map<string, Group> {
  return new Map(
    rows.map(({ total, mean, median, p90, max, stays, assets, ...row }) => [
      nameOf(row, asked, ids),
      { total, mean, median, p90, max, stays, assets },
    ]),
  );
}

function nameOf(row: Omit<DwellRow, keyof Group>, { groupBy }: Asked, { assets, places }: Ids): string {
  if (!row.seen) {
    return 'unseen';
  }
  const place = row.location_id === null ? null : `${places.indexOf(row.location_id)}`;
  const asset = row.asset_id === null ? 'deleted' : `${assets.indexOf(row.asset_id)}`;
  return { location: place, asset, day: row.day }[groupBy] ?? 'none';
}

/** Exactly, but for what is interpolated. */
export function expectSame(found: Map<string, Group>, expected: Map<string, Group>, what: string): void {
  expect([...found.keys()].sort(), what).to.deep.equal([...expected.keys()].sort());
  for (const [name, group] of expected) {
    const { mean, median, p90, ...exact } = found.get(name) as Group;
    expect(exact, `${name} ${what}`).to.deep.equal({
      ...{ total: group.total, max: group.max, stays: group.stays, assets: group.assets },
    });
    for (const [one, other] of [
      [mean, group.mean],
      [median, group.median],
      [p90, group.p90],
    ] as const) {
      expect(one, `${name} ${what}`).to.be.closeTo(other, 1e-6);
    }
  }
}
