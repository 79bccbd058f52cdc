import { useState } from 'preact/hooks';
import { post } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { SideSheet } from '../../../parts/side-sheet.tsx';
import { texts } from '../../../texts/texts.ts';
import { bodyOf, NEW_DRAFT, SHOWN_FIELDS, WebhookFields } from './webhook-fields.tsx';

export function NewWebhook({
  onMade,
  onClose,
}: {
  onMade: (made: { name: string; secret: string }) => void;
  onClose: () => void;
}) {
  const t = texts.value.webhooks;
  const [draft, setDraft] = useState(NEW_DRAFT);
  const { run, isBusy, problem } = useAction();
  const make = async () =>
    onMade((await post<{ data: { name: string; secret: string } }>('/webhooks', bodyOf(draft))).data);
  return (
    <SideSheet
      title={t.newTitle}
      onClose={onClose}
      isForm
      foot={
        <button
          type="submit"
          form="new-webhook"
          class="primary"
          disabled={isBusy || draft.types.length === 0}
        >
          {t.make}
        </button>
      }
    >
      <form
        id="new-webhook"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(make);
        }}
      >
        <p class="hint">{t.newHint}</p>
        <WebhookFields draft={draft} problem={problem} onDraft={setDraft} />
        {problem !== null && <ProblemNote problem={problem} shown={SHOWN_FIELDS} />}
      </form>
    </SideSheet>
  );
}
