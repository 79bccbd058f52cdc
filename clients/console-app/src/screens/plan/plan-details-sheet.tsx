import { useState } from 'preact/hooks';
import type { PlanWithPlaces } from '../../api/plan.ts';
import { patch, remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { type PickedPlace, PlacePicker } from '../../parts/place-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** What a plan is called and a plan of; and deleting it. */
export function PlanDetailsSheet({ plan, onClose }: { plan: PlanWithPlaces; onClose: () => void }) {
  const t = texts.value.plan;
  const [name, setName] = useState(plan.name);
  const [location, setLocation] = useState<PickedPlace | null>(plan.location);
  const { run, isBusy, problem } = useAction();
  const save = () =>
    run(async () => {
      await patch(`/plans/${plan.id}`, { name: name.trim(), location_id: location?.id ?? null });
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
        <Field
          label={t.name}
          value={name}
          required
          maxLength={255}
          fault={faultOf(problem, 'name')}
          onValue={setName}
        />
        <PlacePicker
          label={t.location}
          hint={t.locationHint}
          none={t.noLocation}
          fault={faultOf(problem, 'location_id')}
          picked={location}
          onPick={setLocation}
        />
        {problem !== null && <ProblemNote problem={problem} shown={['name', 'location_id']} />}
      </form>
    </SideSheet>
  );
}
