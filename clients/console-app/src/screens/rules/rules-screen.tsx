import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { RULE_KINDS, type Rule } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState, NoScreen } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { useLeaveGuard } from '../../parts/use-leave-guard.ts';
import { address, href, hrefWith, leaveFor, replaceAddress } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { newDraft, settingsOf } from './rule-draft.ts';
import { inFormWords } from './rule-faults.ts';
import { RuleForm } from './rule-form.tsx';
import { RulePage } from './rule-page.tsx';
import { ruleWords, selectionWords } from './rule-words.ts';
import { TryOut } from './try-out.tsx';

/** `#/rules`, `#/rules/new?kind=dwell`, `#/rules/01J…` */
export function RulesScreen({ rest: [id] }: { rest: readonly string[] }) {
  if (id === 'new') {
    return may('admin') ? <NewRule /> : <NoScreen />;
  }
  return id === undefined ? <RuleList /> : <RulePage key={id} id={id} />;
}

function RuleList() {
  const t = texts.value.rules;
  const list = useList<Rule>('/rules', { sort: '' });
  const names = useNames(
    'locations',
    list.rows.flatMap((rule) => [rule.location_external_key, rule.within_location_external_key]),
  );
  const add = may('admin') && (
    <a class="primary" href={href('rules', 'new')}>
      {t.add}
    </a>
  );
  return (
    <div class="page">
      <PageHead title={texts.value.screens.rules} sub={t.sub}>
        <a class="secondary" href={href('alerts')}>
          {texts.value.screens.alerts}
        </a>
        {add}
      </PageHead>
      <Table
        label={texts.value.screens.rules}
        list={list}
        columns={ruleColumns(names)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => href('rules', id)}
        empty={
          <EmptyState icon="bell" title={t.none} hint={may('admin') ? t.noneHint : t.noneHintOthers}>
            {add}
          </EmptyState>
        }
      />
    </div>
  );
}

/** `#/rules/new?kind=dwell` */
function NewRule() {
  const t = texts.value.rules;
  const asked = RULE_KINDS.find((kind) => kind === address.value.query.get('kind'));
  const [draft, setDraft] = useState(newDraft(asked ?? 'overdue'));
  const isChanged = JSON.stringify(draft) !== JSON.stringify(newDraft(draft.kind));
  useLeaveGuard(isChanged, ({ path: to }) => String(to) === String(address.value.path));
  const { run, isBusy, problem } = useAction();
  const make = async () => {
    const { name, ...settings } = settingsOf(draft);
    const { data } = await inFormWords(
      draft,
      post<{ data: { id: string } }>('/rules', name === '' ? settings : { name, ...settings }),
    );
    toast(t.made);
    leaveFor(href('rules', data.id));
  };
  return (
    <div class="page rules">
      <PageHead title={t.newTitle} sub={t.newHint} />
      <div class="cards">
        <RuleForm
          draft={draft}
          problem={problem}
          onDraft={(next) => {
            setDraft(next);
            if (next.kind !== draft.kind) {
              replaceAddress(hrefWith({ kind: next.kind }));
            }
          }}
          onSubmit={() => void run(make)}
        >
          <button type="submit" class="primary" disabled={isBusy}>
            {t.make}
          </button>
          <a class="secondary" href={href('rules')}>
            {texts.value.common.cancel}
          </a>
        </RuleForm>
        <TryOut draft={draft} />
      </div>
    </div>
  );
}

function ruleColumns(names: ReadonlyMap<string, string>): readonly Column<Rule>[] {
  const t = texts.value.rules;
  const nameOf = (key: string | null) => (key === null ? null : (names.get(key) ?? key));
  return [
    {
      title: t.name,
      cell: ({ name }) => <span class="title">{name}</span>,
      saved: ({ name }) => name,
    },
    { title: t.saysTitle, cell: (rule) => ruleWords(rule, nameOf(rule.location_external_key)) },
    {
      title: t.about,
      weight: 2,
      cell: (rule) => selectionWords(rule, nameOf(rule.within_location_external_key)),
    },
    {
      ...{ title: t.told, weight: 3 },
      cell: ({ mail_count: count }) => (count === 0 ? '–' : t.people(count)),
      saved: ({ mail_count: count }) => count,
    },
    {
      title: t.since,
      weight: 3,
      cell: ({ valid_from: from, ends_at: end, location_deleted_at: gone }) =>
        gone !== null ? (
          <Badge tone="problem">{t.placeGone}</Badge>
        ) : end === null ? (
          <Instant at={from} />
        ) : (
          <Badge tone="problem">
            {t.ends} <Instant at={end} />
          </Badge>
        ),
      saved: ({ valid_from: from, ends_at: end }) => ({ [t.since]: from, [t.ends]: end }),
    },
  ];
}
