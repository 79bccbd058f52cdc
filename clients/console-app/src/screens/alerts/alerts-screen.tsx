import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { ALERT_STATES, type Alert, type Rule } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { useRead } from '../../api/use-read.ts';
import { useReloadOnAlerts } from '../../live/use-reload-on-alerts.ts';
import { AlertBadge, alertSubject, alertWords } from '../../parts/alert-words.tsx';
import { EmptyState, NothingFound } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Instant } from '../../parts/instant.tsx';
import { OneByOneBar, useOneByOne } from '../../parts/one-by-one.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { nameAndKey } from '../../parts/save-file.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { AlertSheet } from './alert-sheet.tsx';

const FILTERS = ['rule_id', 'asset_id'];

/** In the address, for alerts of any state; without a state, those that are not over. */
const ALL = 'all';

/** `#/alerts?state=closed&rule_id=01J…&asset_id=17&open=01K…` */
export function AlertsScreen() {
  const t = texts.value.alerts;
  const { query } = address.value;
  const state = query.get('state');
  const list = useList<Alert>('/alerts', {
    filters: state === null || state === ALL ? FILTERS : [...FILTERS, 'state'],
    sort: '-opened_at',
    fixed: state === null ? { state: ['open', 'acknowledged'] } : {},
  });
  useReloadOnAlerts(list.reload);
  const assets = useNames(
    'assets',
    list.rows.map(({ asset: about }) => about?.external_key ?? null),
  );
  const locations = useNames(
    'locations',
    list.rows.map(({ location }) => location?.external_key ?? null),
  );
  const open = query.get('open');
  const asset = query.get('asset_id');
  return (
    <div class="page">
      <PageHead
        title={texts.value.screens.alerts}
        {...(list.total === undefined || state !== null ? {} : { sub: t.sub(list.total) })}
      >
        <a class="secondary" href={href('rules')}>
          {texts.value.screens.rules}
        </a>
      </PageHead>
      <div class="filters">
        <Filter
          name="state"
          label={t.state}
          options={[
            { value: '', word: t.notOver },
            ...ALERT_STATES.map((value) => ({ value, word: t.states[value] })),
            { value: ALL, word: t.allStates },
          ]}
        />
        <RuleFilter />
        {asset !== null && (
          <a class="secondary" href={hrefWith({ asset_id: null, page: null })}>
            {t.onlyAsset} ×
          </a>
        )}
      </div>
      {may('operator') && <AcknowledgeAll alerts={list.rows.filter((alert) => alert.state === 'open')} />}
      <Table
        label={texts.value.screens.alerts}
        list={list}
        columns={alertColumns(t, { assets, locations })}
        rowKey={({ id }) => id}
        rowHref={({ id }) => hrefWith({ open: id })}
        isOpen={({ id }) => id === open}
        isFaint={(alert) => alert.state === 'withdrawn'}
        empty={<NoAlerts isFiltered={list.isFiltered} isAll={state === ALL} />}
      />
      {open !== null && <AlertSheet key={open} id={open} onClose={() => go(hrefWith({ open: null }))} />}
    </div>
  );
}

/** All open ones of the page. */
function AcknowledgeAll({ alerts }: { alerts: readonly Alert[] }) {
  const t = texts.value.alerts;
  const work = useOneByOne();
  const [of, setOf] = useState(0);
  const acknowledge = async () => {
    setOf(alerts.length);
    const { done } = await work.run(
      alerts.map(({ id }) => id),
      (id) => post(`/alerts/${id}/acknowledge`),
    );
    toast(t.acknowledgedMany(done));
  };
  return alerts.length < 2 && !work.isBusy ? null : (
    <div class="ticked">
      <button type="button" class="secondary small" disabled={work.isBusy} onClick={() => void acknowledge()}>
        {t.acknowledgeAll(work.isBusy ? of : alerts.length)}
      </button>
      <OneByOneBar of={of} label={t.acknowledgedMany} work={work} />
    </div>
  );
}

function RuleFilter() {
  const t = texts.value.alerts;
  const { answer } = useRead<{ data: readonly Rule[] }>('/rules', { limit: 200 });
  const asked = address.value.query.get('rule_id');
  const rules = answer?.data ?? [];
  // One that was ended is in no list.
  const others =
    asked === null || rules.some(({ id }) => id === asked) ? [] : [{ value: asked, word: t.oneRule }];
  return (
    <Filter
      name="rule_id"
      label={t.rule}
      options={[
        { value: '', word: t.allRules },
        ...rules.map(({ id, name }) => ({ value: id, word: name })),
        ...others,
      ]}
    />
  );
}

function NoAlerts({ isFiltered, isAll }: { isFiltered: boolean; isAll: boolean }) {
  const t = texts.value.alerts;
  const rules = useRead<{ total_count: number }>('/rules', { limit: 1 }).answer;
  if (isFiltered) {
    return <NothingFound hint={t.nothingFoundHint} allHref={href('alerts', { state: ALL })} />;
  }
  if (rules === undefined) {
    return null;
  }
  if (rules.total_count === 0 && !isAll) {
    return (
      <EmptyState icon="bell" title={t.noRules} hint={t.noneHint}>
        <a class="secondary" href={href('rules')}>
          {t.toRules}
        </a>
      </EmptyState>
    );
  }
  return isAll ? (
    <EmptyState icon="bell" title={t.none} hint={t.noneHint}>
      <a class="secondary" href={href('rules')}>
        {t.toRules}
      </a>
    </EmptyState>
  ) : (
    <EmptyState icon="check" title={t.allWell} hint={t.allWellHint}>
      <a class="secondary" href={href('alerts', { state: ALL })}>
        {t.showOver}
      </a>
      <a class="secondary" href={href('rules')}>
        {t.toRules}
      </a>
    </EmptyState>
  );
}

function alertColumns(
  t: Texts['alerts'],
  names: Readonly<Record<'assets' | 'locations', ReadonlyMap<string, string>>>,
): readonly Column<Alert>[] {
  return [
    {
      title: t.subject,
      cell: (alert) => <span class="title">{alertSubject(alert, names.assets)}</span>,
      saved: (alert) => nameAndKey(t.subject, alert.asset?.external_key ?? alert.reader?.name, names.assets),
    },
    { title: t.whatTitle, cell: alertWords },
    {
      title: t.place,
      weight: 2,
      cell: ({ location }) =>
        location === null ? (
          <span class="none">–</span>
        ) : (
          (names.locations.get(location.external_key) ?? location.external_key)
        ),
      saved: ({ location }) => nameAndKey(t.place, location?.external_key, names.locations),
    },
    {
      title: t.since,
      sortBy: 'opened_at',
      cell: ({ opened_at: at }) => <Instant at={at} />,
      saved: ({ opened_at: at }) => at,
    },
    {
      title: t.state,
      weight: 2,
      cell: (alert) => <AlertBadge alert={alert} />,
      saved: ({ state }) => t.states[state],
    },
    { title: t.rule, weight: 3, cell: ({ rule }) => rule.name },
  ];
}
