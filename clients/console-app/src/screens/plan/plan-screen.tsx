import type { Plan, PlanWithPlaces } from '../../api/plan.ts';
import { useRead } from '../../api/use-read.ts';
import { useTree } from '../../live/use-tree.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { address, go, href, hrefWith, replaceAddress } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AddPlanSheet } from './add-plan-sheet.tsx';
import { EditPlan } from './edit-plan.tsx';
import { HereSheet } from './here-sheet.tsx';
import { LivePlan } from './live-plan.tsx';

/** `#/plan/3?find=…&view=…&open=<place>`, `#/plan/3?edit=true`, `#/plan?open=new`. Without a number: the first. */
export function PlanScreen({ rest: [chosen] }: { rest: readonly string[] }) {
  const t = texts.value.plan;
  const { query } = address.value;
  const tree = useTree();
  const plans = useRead<{ data: readonly Plan[] }>('/plans');
  const all = plans.answer?.data ?? [];
  const id = chosen ?? all[0]?.id;
  const { answer, problem, reload } = useRead<{ data: PlanWithPlaces }>(
    id === undefined ? null : `/plans/${id}`,
  );
  const { model, version } = tree;
  const plan = answer?.data;
  const isEditing = query.get('edit') === 'true' && may('operator');
  const open = query.get('open');
  const here = model?.place(Number(open)) ?? null;
  const close = () => replaceAddress(hrefWith({ open: null }));
  const failed = tree.problem ?? plans.problem ?? problem;
  const add = may('operator') && (
    <a class={all.length === 0 ? 'primary' : 'secondary'} href={hrefWith({ open: 'new', edit: null })}>
      {t.add}
    </a>
  );
  return (
    <div class="page plan-page">
      <PageHead
        title={plan?.name ?? texts.value.screens.plan}
        {...(plan === undefined ? {} : { sub: t.sub(plan.places.length, plan.location?.name ?? null) })}
      >
        {all.length > 1 && !isEditing && (
          <select
            aria-label={t.choose}
            value={String(id)}
            onChange={(event) => go(href('plan', event.currentTarget.value))}
          >
            {all.map((each) => (
              <option key={each.id} value={String(each.id)}>
                {each.name}
              </option>
            ))}
          </select>
        )}
        {!isEditing && all.length > 0 && add}
        {!isEditing && plan !== undefined && may('operator') && (
          <a class="primary" href={hrefWith({ edit: true, open: null, find: null })}>
            {t.edit}
          </a>
        )}
      </PageHead>
      {failed !== null && (
        <ProblemNote
          problem={failed}
          onRetry={() => {
            tree.reload();
            plans.reload();
            reload();
          }}
        />
      )}
      {failed === null && plans.answer === undefined && <p class="loading">{texts.value.shell.loading}</p>}
      {plans.answer !== undefined && all.length === 0 && (
        <EmptyState icon="plan" title={t.none} hint={may('operator') ? t.noneHint : t.noneViewerHint}>
          {add}
        </EmptyState>
      )}
      {plan !== undefined && model !== null && isEditing && (
        <EditPlan key={`${plan.id}-${plan.version}`} plan={plan} model={model} />
      )}
      {plan !== undefined && model !== null && !isEditing && (
        <>
          <div class="filters">
            <SearchField label={t.find} name="find" />
            {plan.places.length === 0 && <p class="hint">{t.noPlaces}</p>}
          </div>
          <LivePlan key={plan.id} plan={plan} model={model} version={version} />
        </>
      )}
      {here !== null && !isEditing && (
        <HereSheet key={here.id} place={here} total={here.total} onClose={close} />
      )}
      {open === 'new' && may('operator') && <AddPlanSheet onClose={close} />}
    </div>
  );
}
