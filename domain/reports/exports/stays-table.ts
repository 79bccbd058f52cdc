import type { Known } from '../known/known-at.ts';
import { type StayFilters, type StayRow, staysQuery } from '../stays/list-stays.ts';
import { isEmpty, type Window } from '../window.ts';
import { ASSET_AND_PLACE, type Column } from './columns.ts';
import { ALL_ROWS, type ReportTable } from './report-table.ts';

const COLUMNS: readonly Column<StayRow>[] = [
  ...ASSET_AND_PLACE,
  { name: 'entered_at', type: 'time', cell: (row) => row.entered_at },
  { name: 'left_at', type: 'time', cell: (row) => row.left_at },
  { name: 'seconds_in_window', type: 'seconds', cell: (row) => row.milliseconds },
  { name: 'began_before', type: 'flag', cell: (row) => row.began_before },
  { name: 'goes_on_after', type: 'flag', cell: (row) => row.goes_on_after },
];

/** Every stay that overlaps a window, in the order in which they began. */
export function staysTable(
  orgId: number,
  window: Window,
  known: Known | null,
  filters: Omit<StayFilters, 'limit' | 'offset' | 'sort'>,
): ReportTable<StayRow> {
  const sort = [{ field: 'entered_at' as const, isDescending: false }];
  return {
    columns: COLUMNS,
    query: isEmpty(window) ? null : staysQuery(orgId, window, known, { ...filters, ...ALL_ROWS, sort }),
  };
}
