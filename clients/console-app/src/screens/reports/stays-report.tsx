import type { ReportedStay } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { Instant, instantText } from '../../parts/instant.tsx';
import { Lanes } from '../../parts/timeline/lanes.tsx';
import { type Bar, lanesOf } from '../../parts/timeline/lanes-of.ts';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { AssetFilter, KNOWN, KnownFilters, PlaceFilter, WindowFilter } from './filters.tsx';
import { ReportTable } from './report-table.tsx';
import { secondsText } from './report-words.ts';
import { SaveReport } from './save-report.tsx';
import { useItemColumns } from './use-item-columns.tsx';
import { type ReportWindow, SHARED, useReportWindow } from './use-report.ts';

/** Every stay that overlaps a window; of one asset as lanes too. */
export function StaysReport() {
  const t = texts.value.reports;
  const window = useReportWindow();
  const { from, to } = window;
  const report = useList<ReportedStay>('/reports/stays', {
    ...{ filters: [...SHARED, ...KNOWN], fixed: { from, to }, sort: '-entered_at' },
  });
  const { asset, place, placeName } = useItemColumns(report.rows);
  return (
    <>
      <div class="report-filters">
        <WindowFilter window={window} />
        <PlaceFilter />
        <AssetFilter />
      </div>
      <KnownFilters />
      {address.value.query.has('asset_external_key') && report.rows.length > 0 && (
        <StayLanes stays={report.rows} window={window} nameOf={placeName} />
      )}
      <SaveReport name="stays" report={report} />
      <ReportTable
        label={t.sections.stays}
        report={report}
        window={window}
        rowKey={(row) => `${row.asset_id} ${row.entered_at}`}
        columns={[
          asset,
          place,
          {
            title: t.entered,
            sortBy: 'entered_at',
            weight: 2,
            cell: (row) => <Instant at={row.entered_at} />,
            saved: (row) => row.entered_at,
          },
          {
            title: t.left,
            weight: 2,
            cell: (row) => (row.left_at === null ? t.stillThere : <Instant at={row.left_at} />),
            saved: (row) => row.left_at,
          },
          {
            ...{ title: t.inWindow, isNumber: true },
            cell: (row) => secondsText(row.seconds_in_window),
            saved: (row) => ({ [texts.value.common.seconds(t.inWindow)]: row.seconds_in_window }),
          },
        ]}
      />
    </>
  );
}

/** The stays of the page, all of one asset, a lane for each place. */
function StayLanes({
  stays,
  window,
  nameOf,
}: {
  stays: readonly ReportedStay[];
  window: ReportWindow;
  nameOf: (key: string) => string;
}) {
  const range = { from: Date.parse(window.from), to: Date.parse(window.to) };
  const lanes = lanesOf(
    stays
      .map((stay) => ({
        location: {
          id: stay.location_id,
          external_key: stay.location_external_key,
          name: nameOf(stay.location_external_key),
        },
        arrived_at: stay.entered_at,
        left_at: stay.left_at,
      }))
      .toSorted((a, b) => Date.parse(a.arrived_at) - Date.parse(b.arrived_at)),
    range,
    range.to,
  );
  return (
    <section class="card" aria-label={texts.value.asset.timeline}>
      <Lanes lanes={lanes} range={range} now={range.to} titleOf={titleOf} />
    </section>
  );
}

function titleOf({ stay, count }: Bar): string {
  if (count > 1) {
    return texts.value.asset.severalStays(count);
  }
  const until = stay.left_at === null ? '…' : instantText(stay.left_at, true);
  return `${stay.location.name}\n${instantText(stay.arrived_at, true)} – ${until}`;
}
