import type { Rule } from '../../api/rule.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Table } from '../../parts/table.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { NewRule } from './new-rule.tsx';
import { ruleColumns } from './rule-columns.tsx';
import { RulePage } from './rule-page.tsx';

/** `#/rules`, `#/rules/new?kind=dwell`, `#/rules/01J…` */
export function RulesScreen({ rest: [id] }: { rest: readonly string[] }) {
  if (id === 'new' && may('admin')) {
    return <NewRule />;
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
