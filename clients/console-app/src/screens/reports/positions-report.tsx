import type { PositionAt } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';
import { AssetFilter, KNOWN, KnownFilters, PlaceFilter, TimeField } from './filters.tsx';
import { ReportTable } from './report-table.tsx';
import { SaveReport } from './save-report.tsx';
import { useItemColumns } from './use-item-columns.tsx';
import { SHARED, useReportInstant } from './use-report.ts';

/** Where everything was at an instant, as known now or then. */
export function PositionsReport() {
  const t = texts.value.reports;
  const at = useReportInstant('at');
  const report = useList<PositionAt>('/reports/positions-at', {
    ...{ filters: [...SHARED, ...KNOWN], fixed: { at }, sort: 'asset_external_key' },
  });
  const { asset, place } = useItemColumns(report.rows);
  return (
    <>
      <div class="report-filters">
        <TimeField name="at" label={t.at} value={at} />
        <PlaceFilter />
        <AssetFilter />
      </div>
      <KnownFilters />
      <SaveReport name="positions" report={report} />
      <ReportTable
        label={t.sections.positions}
        report={report}
        rowKey={({ asset_id: id }) => id}
        columns={[
          asset,
          place,
          {
            ...{ title: t.since, sortBy: 'since' },
            cell: ({ since }) => <Instant at={since} />,
            saved: ({ since }) => since,
          },
          {
            ...{ title: t.lastSeen, weight: 2 },
            cell: (row) => <Instant at={row.last_seen} />,
            saved: (row) => row.last_seen,
          },
        ]}
      />
    </>
  );
}
