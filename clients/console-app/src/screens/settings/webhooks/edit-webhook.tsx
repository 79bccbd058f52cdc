import { useLayoutEffect, useState } from 'preact/hooks';
import { patch, remove } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import type { Webhook } from '../../../api/webhook.ts';
import { confirm } from '../../../parts/confirm.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { toast } from '../../../parts/toast.tsx';
import { texts } from '../../../texts/texts.ts';
import { bodyOf, draftOf, SHOWN_FIELDS, WebhookFields } from './webhook-fields.tsx';

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = texts.value.webhooks;
  const kept = draftOf(webhook);
  const [draft, setDraft] = useState(kept);
  // After a change it begins anew: at once, or what is typed by then is lost.
  useLayoutEffect(() => setDraft(kept), [JSON.stringify(kept)]);
  const { run, isBusy, problem } = useAction();
  const path = `/webhooks/${webhook.id}`;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(kept);
  const save = async () => {
    await patch(path, bodyOf(draft));
    toast(texts.value.common.saved);
  };
  const drop = async () => {
    const isSure = await confirm({
      title: t.deleteTitle(webhook.name),
      body: t.deleteBody,
      action: t.delete,
      isDangerous: true,
    });
    if (isSure && (await run(() => remove(path)))) {
      onClose();
    }
  };
  return (
    <form
      class="stack"
      aria-labelledby="webhook-fields"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <h3 id="webhook-fields">{t.fields}</h3>
      <WebhookFields draft={draft} problem={problem} onDraft={setDraft} />
      {problem !== null && <ProblemNote problem={problem} shown={SHOWN_FIELDS} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || !isChanged || draft.types.length === 0}>
          {texts.value.common.save}
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => void drop()}>
          {t.delete}
        </button>
      </div>
    </form>
  );
}
