import { useId, useState } from 'preact/hooks';
import type { Plan } from '../../api/plan.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { type PlanDraft, PlanFields, SHOWN_FIELDS } from './plan-fields.tsx';

const KINDS = 'image/png,image/jpeg,image/webp';

/** An image with a name, and then on to what is where on it. */
export function AddPlanSheet({ onClose }: { onClose: () => void }) {
  const t = texts.value.plan;
  const id = useId();
  const [draft, setDraft] = useState<PlanDraft>({ name: '', location: null });
  const [image, setImage] = useState<File | null>(null);
  const { run, isBusy, problem } = useAction();
  const fault = faultOf(problem, 'image');
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
    go(href('plan', data.id, { edit: true }));
  };
  return (
    <SideSheet
      title={t.addTitle}
      onClose={onClose}
      isForm
      foot={
        <button type="submit" form="new-plan" class="primary" disabled={isBusy || image === null}>
          {isBusy ? t.sending : t.add}
        </button>
      }
    >
      <form
        id="new-plan"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(add);
        }}
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
        <PlanFields draft={draft} problem={problem} onDraft={setDraft} />
        {problem !== null && <ProblemNote problem={problem} shown={['image', ...SHOWN_FIELDS]} />}
      </form>
    </SideSheet>
  );
}
