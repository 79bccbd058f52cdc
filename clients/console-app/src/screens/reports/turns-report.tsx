import type { Turns } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { Picture } from './bars.tsx';
import { AssetFilter, FlagFilter, GroupFilter, groupIn, ItemFilter, WindowFilter } from './filters.tsx';
import { countColumn, ReportTable, secondsColumn } from './report-table.tsx';
import { secondsText } from './report-words.ts';
import { useGroups } from './use-item-columns.tsx';
import { TIME_ZONE, useReportWindow } from './use-report.ts';

const GROUPS = ['all', 'asset', 'day'] as const;
const ENDS = ['from_location_external_key', 'to_location_external_key'] as const;

/** How long assets took from one place to another. */
export function TurnsReport() {
  const t = texts.value.reports;
  const window = useReportWindow();
  const { from, to } = window;
  const group = groupIn(GROUPS);
  const isByDay = group === 'day';
  const isChosen = ENDS.every((name) => address.value.query.has(name));
  const report = useList<Turns>(isChosen ? '/reports/turns' : null, {
    filters: [...ENDS, 'asset_external_key', 'include_descendants', 'group_by'],
    fixed: isByDay ? { from, to, time_zone: TIME_ZONE } : { from, to },
    sort: isByDay ? 'day' : '-count',
    limit: isByDay ? 100 : 50,
  });
  const { wordOf, column } = useGroups(report.rows, group);
  const bars = report.rows
    .filter(({ median_seconds: median }) => median !== null)
    .map((row) => ({
      key: keyOf(row),
      word: wordOf(row),
      value: row.median_seconds ?? 0,
      text: secondsText(row.median_seconds),
    }));
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
          {group !== 'all' && <Picture title={t.turnsPicture} bars={bars} isByDay={isByDay} />}
          <ReportTable
            label={t.sections.turns}
            report={report}
            window={window}
            rowKey={keyOf}
            columns={[
              ...(group === 'all' ? [] : [column]),
              countColumn('count', 1),
              secondsColumn('median', 1),
              secondsColumn('p90', 2),
              secondsColumn('max', 3),
              countColumn('not_ended', 1),
            ]}
          />
        </>
      ) : (
        <EmptyState icon="places" title={t.chooseEnds} hint={t.chooseEndsHint} />
      )}
    </>
  );
}

function keyOf({ asset_id, day }: Turns): string {
  return `${asset_id} ${day}`;
}
