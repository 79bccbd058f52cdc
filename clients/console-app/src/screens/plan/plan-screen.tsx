import { useId, useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import type { Plan, PlanWithPlaces, Present } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import type { Place } from '../../live/tree-model.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { useTree } from '../../live/use-tree.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { FormSheet, SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, href, hrefWith, leaveFor, replaceAddress } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { EditPlan } from './edit-plan.tsx';
import { LivePlan } from './live-plan.tsx';
import { type PlanDraft, PlanFields, SHOWN_FIELDS } from './plan-fields.tsx';

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

const KINDS = 'image/png,image/jpeg,image/webp';

/** Uploads an image with a name, then leads to its editing. */
function AddPlanSheet({ onClose }: { onClose: () => void }) {
  const t = texts.value.plan;
  const id = useId();
  const [draft, setDraft] = useState<PlanDraft>({ name: '', location: null });
  const [image, setImage] = useState<File | null>(null);
  const action = useAction();
  const fault = faultOf(action.problem, 'image');
  const choose = (file: File | null) => {
    setImage(file);
    if (draft.name === '' && file !== null) {
      setDraft({ ...draft, name: file.name.replace(/\.\w+$/, '') });
    }
  };
  const add = async () => {
    if (image === null) {
      return;
    }
    const query = new URLSearchParams({
      name: draft.name.trim(),
      ...(draft.location === null ? {} : { location_id: String(draft.location.id) }),
    });
    // A file without a known ending has no type.
    const typed = image.type.startsWith('image/') ? image : new Blob([image], { type: 'image/png' });
    const { data } = await post<{ data: Plan }>(`/plans?${query}`, typed);
    toast(t.added(data.name));
    leaveFor(href('plan', data.id, { edit: true }));
  };
  return (
    <FormSheet
      title={t.addTitle}
      onClose={onClose}
      isForm
      isChanged={image !== null || draft.name !== '' || draft.location !== null}
      submit={action.isBusy ? t.sending : t.add}
      isReady={image !== null}
      action={action}
      shown={['image', ...SHOWN_FIELDS]}
      onSubmit={add}
    >
      <div class="field">
        <label for={id}>{t.image}</label>
        <input
          id={id}
          type="file"
          accept={KINDS}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-says`}
          onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
        />
        <div id={`${id}-says`}>
          {fault === null ? <p class="hint">{t.imageHint}</p> : <p class="fault">{fault}</p>}
        </div>
      </div>
      <PlanFields draft={draft} problem={action.problem} onDraft={setDraft} />
    </FormSheet>
  );
}

const MOST = 20;

/** The assets at a place of the plan, and a link to all about it. */
function HereSheet({ place, onClose }: { place: Place; total: number; onClose: () => void }) {
  const t = texts.value.plan;
  const { answer, problem, reload } = useRead<{ data: readonly Present[]; total_count: number }>(
    `/locations/${place.id}/present`,
    { limit: MOST },
  );
  useReloadOnMoves(
    ({ data }) => [data.current.location_id, data.previous_location_id].includes(place.id),
    reload,
  );
  const more = (answer?.total_count ?? 0) - (answer?.data.length ?? 0);
  return (
    <SideSheet
      title={place.name}
      sub={<span class="mono">{place.key}</span>}
      onClose={onClose}
      foot={
        <a class="primary" href={href('place', place.id)}>
          {t.toPlace}
        </a>
      }
    >
      <div class="stack">
        <p>{texts.value.shell.assetsHere(place.total)}</p>
        {place.children.length > 0 && (
          <ul class="children" aria-label={texts.value.place.places}>
            {place.children.slice(0, 60).map(({ id, name, total }) => (
              <li key={id}>
                <a href={href('place', id)}>
                  <span>{name}</span>
                  <span class="faint">{texts.value.now.count(total)}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
        {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
        <ul class="here-list">
          {answer?.data.map((asset) => (
            <li key={asset.id}>
              <a href={href('asset', asset.id)}>
                <span class="title">{asset.name}</span> <span class="mono faint">{asset.external_key}</span>
              </a>
              <span class="hint">
                <Instant at={asset.since} />
              </span>
            </li>
          ))}
        </ul>
        {more > 0 && <p class="hint">{t.andMore(more)}</p>}
      </div>
    </SideSheet>
  );
}
