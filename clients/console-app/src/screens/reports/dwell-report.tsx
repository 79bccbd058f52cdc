import type { Dwell } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { texts } from '../../texts/texts.ts';
import { Picture } from './bars.tsx';
import {
  AssetFilter,
  GroupFilter,
  groupIn,
  KNOWN,
  KnownFilters,
  PlaceFilter,
  WindowFilter,
} from './filters.tsx';
import { countColumn, ReportTable, secondsColumn } from './report-table.tsx';
import { secondsText } from './report-words.ts';
import { SaveReport } from './save-report.tsx';
import { useGroups } from './use-item-columns.tsx';
import { SHARED, TIME_ZONE, useReportWindow } from './use-report.ts';

const GROUPS = ['location', 'asset', 'day'] as const;

/** How long assets stayed, by place, by asset or by day. */
export function DwellReport() {
  const t = texts.value.reports;
  const window = useReportWindow();
  const { from, to } = window;
  const group = groupIn(GROUPS);
  const isByDay = group === 'day';
  const report = useList<Dwell>('/reports/dwell', {
    filters: [...SHARED, ...KNOWN, 'group_by'],
    fixed: isByDay ? { from, to, time_zone: TIME_ZONE } : { from, to },
    sort: isByDay ? 'day' : '-total_seconds',
    limit: isByDay ? 100 : 50,
  });
  const { wordOf, column } = useGroups(report.rows, group);
  const bars = report.rows
    .filter(({ seen }) => seen)
    .map((row) => ({
      key: keyOf(row),
      word: wordOf(row),
      value: row.total_seconds,
      text: secondsText(row.total_seconds),
    }));
  return (
    <>
      <div class="report-filters">
        <WindowFilter window={window} />
        <GroupFilter groups={GROUPS} />
        <PlaceFilter />
        <AssetFilter />
      </div>
      <KnownFilters />
      <Picture title={t.dwellPicture} bars={bars} isByDay={isByDay} />
      <SaveReport name="dwell" report={report} />
      <ReportTable
        label={t.sections.dwell}
        report={report}
        window={window}
        rowKey={keyOf}
        columns={[
          {
            ...column,
            cell: (row) => (row.seen ? column.cell(row) : t.notSeenYet),
            saved: (row) => {
              const cells = column.saved?.(row);
              return row.seen || cells instanceof Date
                ? cells
                : { ...(cells as object), [column.title]: t.notSeenYet };
            },
          },
          secondsColumn('total', 1),
          secondsColumn('median', 2),
          secondsColumn('p90', 3),
          secondsColumn('max', 3),
          countColumn('stays', 2),
          countColumn('assets', 2),
        ]}
      />
    </>
  );
}

function keyOf({ location_id, asset_id, day, seen }: Dwell): string {
  return `${location_id} ${asset_id} ${day} ${seen}`;
}
