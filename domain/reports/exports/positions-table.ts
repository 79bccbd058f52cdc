import type { Micros } from '../../../base/instant.ts';
import type { Known } from '../known/known-at.ts';
import {
  type PositionAtRow,
  type PositionFilters,
  positionsAtQuery,
} from '../positions-at/list-positions-at.ts';
import { ASSET_AND_PLACE, type Column } from './columns.ts';
import { ALL_ROWS, type ReportTable } from './report-table.ts';

const COLUMNS: readonly Column<PositionAtRow>[] = [
  ...ASSET_AND_PLACE,
  { name: 'since', type: 'time', cell: (row) => row.since },
  { name: 'last_seen', type: 'time', cell: (row) => row.last_seen },
];

/**
 * Where every asset was before an instant, by external key.
 *
 * @param until the first later instant.
 */
export function positionsTable(
  orgId: number,
  until: Micros,
  known: Known | null,
  filters: Omit<PositionFilters, 'limit' | 'offset' | 'sort'>,
): ReportTable<PositionAtRow> {
  const sort = [{ field: 'asset_external_key' as const, isDescending: false }];
  return {
    columns: COLUMNS,
    query: positionsAtQuery(orgId, until, known, { ...filters, ...ALL_ROWS, sort }),
  };
}
