import type { ReportedSweep } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';
import { AssetFilter, PlaceFilter, WindowFilter } from './filters.tsx';
import { ReportTable } from './report-table.tsx';
import { useItemColumns } from './use-item-columns.tsx';
import { SHARED, useReportWindow } from './use-report.ts';

/** Results of sweeps. */
export function SweepsReport() {
  const t = texts.value.reports;
  const window = useReportWindow();
  const { from, to } = window;
  const report = useList<ReportedSweep>('/reports/sweeps', {
    filters: SHARED,
    fixed: { from, to },
    sort: '-ended_at',
  });
  const { place } = useItemColumns(report.rows);
  const count = (
    field: 'expected' | 'found' | 'missing' | 'moved_here' | 'unknown',
    weight: 1 | 2 | 3,
  ): Column<ReportedSweep> => ({
    ...{ title: t.counts[field], isNumber: true, weight },
    cell: (row) => t.number(row[field]),
    saved: (row) => row[field],
  });
  return (
    <>
      <div class="report-filters">
        <WindowFilter window={window} />
        <PlaceFilter />
        <AssetFilter />
      </div>
      <ReportTable
        label={t.sections.sweeps}
        report={report}
        window={window}
        rowKey={({ sweep_id: id }) => id}
        columns={[
          place,
          {
            ...{ title: t.ended, sortBy: 'ended_at' },
            cell: (row) => <Instant at={row.ended_at} />,
            saved: (row) => row.ended_at,
          },
          { title: t.by, weight: 2, cell: (row) => row.handheld_name },
          count('expected', 3),
          count('found', 2),
          count('missing', 1),
          count('moved_here', 3),
          count('unknown', 3),
          {
            title: t.accuracy,
            isNumber: true,
            cell: ({ accuracy }) => (accuracy === null ? '–' : t.percent(accuracy)),
            saved: ({ accuracy }) => accuracy,
          },
        ]}
      />
    </>
  );
}
