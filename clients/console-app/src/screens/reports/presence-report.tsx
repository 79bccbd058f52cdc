import { PRESENCE_STATES, type Presence } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { Select } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { BecauseOf, becauseWords, StateBadge, stateWord } from '../../parts/presence.tsx';
import type { Column } from '../../parts/table.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { AssetFilter, MoreFilters, PlaceFilter, TimeField } from './filters.tsx';
import { ReportTable } from './report-table.tsx';
import { secondsText } from './report-words.ts';
import { useItemColumns } from './use-item-columns.tsx';
import { SHARED } from './use-report.ts';

/** Whether assets are where they were seen last: now, or at an instant. */
export function PresenceReport() {
  const t = texts.value.reports;
  const report = useList<Presence>('/reports/presence', {
    ...{ filters: [...SHARED, 'state', 'at'], fixed: {}, sort: 'asset_external_key' },
  });
  const items = useItemColumns(report.rows);
  return (
    <>
      <div class="report-filters">
        <Select
          label={t.state}
          value={address.value.query.get('state') ?? ''}
          options={[
            { value: '', word: t.anyState },
            ...PRESENCE_STATES.map((state) => ({ value: state, word: texts.value.presence.states[state] })),
          ]}
          onValue={(state) => go(hrefWith({ state, page: null }))}
        />
        <PlaceFilter />
        <AssetFilter />
      </div>
      <MoreFilters names={['at']}>
        <TimeField name="at" label={t.at} hint={t.presenceAtHint} />
      </MoreFilters>
      <ReportTable
        label={t.sections.presence}
        report={report}
        rowKey={({ asset_id: id }) => id}
        columns={presenceColumns(items)}
      />
    </>
  );
}

function presenceColumns({
  asset,
  place,
}: Pick<ReturnType<typeof useItemColumns<Presence>>, 'asset' | 'place'>): readonly Column<Presence>[] {
  const t = texts.value.reports;
  return [
    asset,
    {
      title: t.state,
      cell: ({ state }) => <StateBadge state={state} />,
      saved: ({ state }) => stateWord(state),
    },
    {
      ...{ title: t.stateSince, weight: 2 },
      cell: (row) => <Instant at={row.state_since} />,
      saved: (row) => row.state_since,
    },
    {
      title: t.because,
      weight: 3,
      cell: ({ because }) => (because === null ? '' : <BecauseOf because={because} />),
      saved: ({ because }) => because && becauseWords(because),
    },
    place,
    {
      ...{ title: t.lastSeen, weight: 2 },
      cell: (row) => <Instant at={row.last_seen} />,
      saved: (row) => row.last_seen,
    },
    {
      title: t.unseen,
      weight: 3,
      isNumber: true,
      cell: ({ unseen_covered_seconds: seconds }) => secondsText(seconds),
      saved: ({ unseen_covered_seconds: seconds }) => ({
        [texts.value.common.seconds(t.unseen)]: seconds,
      }),
    },
  ];
}
