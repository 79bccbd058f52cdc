import { useState } from 'preact/hooks';
import type { PlanWithPlaces } from '../../api/plan.ts';
import { patch, remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { confirm } from '../../parts/confirm.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { type PlanDraft, PlanFields, SHOWN_FIELDS } from './plan-fields.tsx';

/** What a plan is called and a plan of; and deleting it. */
export function PlanDetailsSheet({ plan, onClose }: { plan: PlanWithPlaces; onClose: () => void }) {
  const t = texts.value.plan;
  const [draft, setDraft] = useState<PlanDraft>({ name: plan.name, location: plan.location });
  const { run, isBusy, problem } = useAction();
  const save = () =>
    run(async () => {
      await patch(`/plans/${plan.id}`, {
        name: draft.name.trim(),
        location_id: draft.location?.id ?? null,
      });
      toast(texts.value.common.saved);
      onClose();
    });
  const drop = async () => {
    const question = { title: t.deleteTitle(plan.name), body: t.deleteBody, action: t.delete };
    if (await confirm({ ...question, isDangerous: true })) {
      await run(async () => {
        await remove(`/plans/${plan.id}`);
        toast(t.deleted(plan.name));
        go(href('plan'));
      });
    }
  };
  return (
    <SideSheet
      title={t.details}
      onClose={onClose}
      foot={
        <>
          <button type="submit" form="plan-details" class="primary" disabled={isBusy}>
            {texts.value.common.save}
          </button>
          <button type="button" class="danger" disabled={isBusy} onClick={drop}>
            {t.delete}
          </button>
        </>
      }
    >
      <form
        id="plan-details"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <PlanFields draft={draft} problem={problem} onDraft={setDraft} />
        {problem !== null && <ProblemNote problem={problem} shown={SHOWN_FIELDS} />}
      </form>
    </SideSheet>
  );
}
