import { useRead } from '../../../api/use-read.ts';
import type { Webhook } from '../../../api/webhook.ts';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { SideSheet } from '../../../parts/side-sheet.tsx';
import { texts } from '../../../texts/texts.ts';
import { Attempts } from './attempts.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { Replay } from './replay.tsx';
import { Secrets } from './secrets.tsx';
import { WebhookState } from './webhook-state.tsx';

export function WebhookSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const { answer, problem, reload } = useRead<{ data: Webhook }>(`/webhooks/${id}`);
  const webhook = answer?.data;
  return (
    <SideSheet
      title={webhook?.name ?? texts.value.webhooks.title}
      {...(webhook === undefined ? {} : { sub: <span class="mono">{webhook.url}</span> })}
      onClose={onClose}
    >
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {webhook !== undefined && (
        <div class="stack sheet-parts">
          <WebhookState webhook={webhook} />
          <Attempts id={webhook.id} />
          <Replay webhook={webhook} />
          <EditWebhook webhook={webhook} onClose={onClose} />
          <Secrets webhook={webhook} />
        </div>
      )}
    </SideSheet>
  );
}
