import { type Days, daysOf, requireFewDays } from '../days.ts';
import { type DwellFilters, dayOf, dwellQuery, type NumberedDwellRow } from '../dwell/read-dwell.ts';
import type { Known } from '../known/known-at.ts';
import { isEmpty, type Window } from '../window.ts';
import type { Column } from './columns.ts';
import { ALL_ROWS, type ReportTable } from './report-table.ts';

function columnsOf(days: Days | null): readonly Column<NumberedDwellRow>[] {
  return [
    { name: 'location_id', type: 'id', cell: (row) => row.location_id },
    { name: 'location_external_key', type: 'key', cell: (row) => row.location_external_key },
    { name: 'asset_id', type: 'id', cell: (row) => row.asset_id },
    { name: 'asset_external_key', type: 'key', cell: (row) => row.asset_external_key },
    { name: 'day', type: 'day', cell: (row) => dayOf(row, days) },
    { name: 'seen', type: 'flag', cell: (row) => row.seen },
    { name: 'total_seconds', type: 'seconds', cell: (row) => row.total },
    { name: 'mean_seconds', type: 'seconds', cell: (row) => row.mean },
    { name: 'median_seconds', type: 'seconds', cell: (row) => row.median },
    { name: 'p90_seconds', type: 'seconds', cell: (row) => row.p90 },
    { name: 'max_seconds', type: 'seconds', cell: (row) => row.max },
    { name: 'stays', type: 'count', cell: (row) => row.stays },
    { name: 'assets', type: 'count', cell: (row) => row.assets },
  ];
}

/**
 * How long assets stayed, as histories are or were known: every group.
 *
 * @throws Invalid for too many days, by day.
 */
export function dwellTable(
  orgId: number,
  window: Window,
  known: Known | null,
  filters: Omit<DwellFilters, 'limit' | 'offset' | 'sort'>,
): ReportTable<NumberedDwellRow> {
  const isByDay = filters.group_by === 'day';
  if (isByDay) {
    requireFewDays(window);
  }
  if (isEmpty(window)) {
    return { columns: columnsOf(null), query: null };
  }
  const days = isByDay ? daysOf(window, filters.time_zone) : null;
  const sort = (['location_external_key', 'asset_external_key', 'day'] as const).map((field) => ({
    field,
    isDescending: false,
  }));
  return {
    columns: columnsOf(days),
    query: dwellQuery(orgId, window, known, { ...filters, ...ALL_ROWS, sort }, days),
  };
}
