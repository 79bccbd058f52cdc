import type { Turns } from '../../api/types.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { Column } from '../../parts/table.tsx';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { Bars, Columns } from './bars.tsx';
import { AssetFilter, FlagFilter, GroupFilter, groupIn, ItemFilter, WindowFilter } from './filters.tsx';
import { ReportTable } from './report-table.tsx';
import { dayText, secondsText } from './report-words.ts';
import { useItemColumns } from './use-item-columns.tsx';
import { TIME_ZONE, useReport, useReportWindow } from './use-report.ts';

const GROUPS = ['all', 'asset', 'day'] as const;
const ENDS = ['from_location_external_key', 'to_location_external_key'] as const;
const MOST_BARS = 12;

/** How long assets took from one place to another. */
export function TurnsReport() {
  const t = texts.value.reports;
  const window = useReportWindow();
  const { from, to } = window;
  const group = groupIn(GROUPS);
  const isByDay = group === 'day';
  const isChosen = ENDS.every((name) => address.value.query.has(name));
  const report = useReport<Turns>(isChosen ? 'turns' : null, {
    filters: [...ENDS, 'asset_external_key', 'include_descendants', 'group_by'],
    fixed: isByDay ? { from, to, time_zone: TIME_ZONE } : { from, to },
    sort: isByDay ? 'day' : '-count',
    limit: isByDay ? 100 : 50,
  });
  const { asset, assetName } = useItemColumns(report.rows);
  const wordOf = ({ day, asset_external_key: key }: Turns) =>
    day !== null ? dayText(day) : key === null ? t.deletedAssets : assetName(key);
  const bars = report.rows
    .filter(({ median_seconds: median }) => median !== null)
    .slice(0, isByDay ? undefined : MOST_BARS)
    .map((row) => ({
      key: `${row.asset_id} ${row.day}`,
      word: wordOf(row),
      value: row.median_seconds ?? 0,
      text: secondsText(row.median_seconds),
    }));
  const first: readonly Column<Turns>[] =
    group === 'all'
      ? []
      : [
          {
            title: t.groups[group],
            sortBy: isByDay ? 'day' : 'asset_external_key',
            cell: (row) => (row.asset_id === null ? wordOf(row) : asset.cell(row)),
          },
        ];
  const count = (field: 'count' | 'not_ended'): Column<Turns> => ({
    ...{ title: t.counts[field], sortBy: field, isNumber: true },
    cell: (row) => t.number(row[field]),
  });
  const seconds = (field: 'median' | 'p90' | 'max', weight: 1 | 2 | 3): Column<Turns> => ({
    ...{ title: t.seconds[field], sortBy: `${field}_seconds`, isNumber: true, weight },
    cell: (row) => secondsText(row[`${field}_seconds`]),
  });
  return (
    <>
      <div class="report-filters">
        <WindowFilter window={window} />
        <ItemFilter name={ENDS[0]} resource="locations" label={t.fromPlace} none={t.choosePlace} />
        <ItemFilter name={ENDS[1]} resource="locations" label={t.toPlace} none={t.choosePlace} />
        <GroupFilter groups={GROUPS} />
        <AssetFilter />
        <FlagFilter name="include_descendants" label={t.andBelow} />
      </div>
      {isChosen ? (
        <>
          {group !== 'all' && bars.length > 0 && (
            <section class="card" aria-label={t.turnsPicture}>
              <h2>{t.turnsPicture}</h2>
              {isByDay ? <Columns bars={bars} /> : <Bars bars={bars} />}
            </section>
          )}
          <ReportTable
            label={t.sections.turns}
            report={report}
            window={window}
            rowKey={({ asset_id: id, day }) => `${id} ${day}`}
            columns={[
              ...first,
              count('count'),
              seconds('median', 1),
              seconds('p90', 2),
              seconds('max', 3),
              count('not_ended'),
            ]}
          />
        </>
      ) : (
        <EmptyState icon="places" title={t.chooseEnds} hint={t.chooseEndsHint} />
      )}
    </>
  );
}
