import type { Dwell } from '../../api/types.ts';
import type { Column } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';
import { Bars, Columns } from './bars.tsx';
import {
  AssetFilter,
  GroupFilter,
  groupIn,
  KNOWN,
  KnownFilters,
  PlaceFilter,
  WindowFilter,
} from './filters.tsx';
import { ReportTable } from './report-table.tsx';
import { dayText, secondsText } from './report-words.ts';
import { SaveReport } from './save-report.tsx';
import { useItemColumns } from './use-item-columns.tsx';
import { SHARED, TIME_ZONE, useReport, useReportWindow } from './use-report.ts';

const GROUPS = ['location', 'asset', 'day'] as const;

/** Bars of the first rows. */
const MOST_BARS = 12;

/** How long assets stayed, by place, by asset or by day. */
export function DwellReport() {
  const t = texts.value.reports;
  const window = useReportWindow();
  const { from, to } = window;
  const group = groupIn(GROUPS);
  const isByDay = group === 'day';
  const report = useReport<Dwell>('dwell', {
    filters: [...SHARED, ...KNOWN, 'group_by'],
    fixed: isByDay ? { from, to, time_zone: TIME_ZONE } : { from, to },
    sort: isByDay ? 'day' : '-total_seconds',
    limit: isByDay ? 100 : 50,
  });
  const { asset, place, assetName, placeName } = useItemColumns(report.rows);
  const wordOf = ({ day, location_external_key: placeKey, asset_external_key: assetKey }: Dwell) =>
    day !== null
      ? dayText(day)
      : placeKey !== null
        ? placeName(placeKey)
        : assetKey !== null
          ? assetName(assetKey)
          : t.deletedAssets;
  const bars = report.rows
    .filter(({ seen }) => seen)
    .slice(0, isByDay ? undefined : MOST_BARS)
    .map((row) => ({
      key: keyOf(row),
      word: wordOf(row),
      value: row.total_seconds,
      text: secondsText(row.total_seconds),
    }));
  const first: Column<Dwell> = {
    title: t.groups[group],
    sortBy: isByDay ? 'day' : `${group}_external_key`,
    cell: (row) => {
      if (!row.seen) {
        return t.notSeenYet;
      }
      return row.asset_id !== null
        ? asset.cell(row)
        : row.location_id !== null
          ? place.cell(row)
          : wordOf(row);
    },
  };
  const seconds = (field: 'total' | 'mean' | 'median' | 'p90' | 'max', weight: 1 | 2 | 3): Column<Dwell> => ({
    ...{ title: t.seconds[field], sortBy: `${field}_seconds`, isNumber: true, weight },
    cell: (row) => secondsText(row[`${field}_seconds`]),
  });
  const count = (field: 'stays' | 'assets'): Column<Dwell> => ({
    ...{ title: t.counts[field], sortBy: field, isNumber: true, weight: 2 },
    cell: (row) => t.number(row[field]),
  });
  return (
    <>
      <div class="report-filters">
        <WindowFilter window={window} />
        <GroupFilter groups={GROUPS} />
        <PlaceFilter />
        <AssetFilter />
      </div>
      <KnownFilters />
      {bars.length > 0 && (
        <section class="card" aria-label={t.dwellPicture}>
          <h2>{t.dwellPicture}</h2>
          {isByDay ? <Columns bars={bars} /> : <Bars bars={bars} />}
        </section>
      )}
      <SaveReport name="dwell" report={report} />
      <ReportTable
        label={t.sections.dwell}
        report={report}
        window={window}
        rowKey={keyOf}
        columns={[
          first,
          seconds('total', 1),
          seconds('median', 2),
          seconds('p90', 3),
          seconds('max', 3),
          count('stays'),
          count('assets'),
        ]}
      />
    </>
  );
}

function keyOf({ location_id, asset_id, day, seen }: Dwell): string {
  return `${location_id} ${asset_id} ${day} ${seen}`;
}
