import { useState } from 'preact/hooks';
import { patch } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import type { Webhook } from '../../../api/webhook.ts';
import { Instant } from '../../../parts/instant.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { SecretNote } from '../../../parts/secret-note.tsx';
import { texts } from '../../../texts/texts.ts';

/** Two may be valid at once, so that a receiver can be given the new one before the old one ends. */
export function Secrets({ webhook }: { webhook: Webhook }) {
  const t = texts.value.webhooks;
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isBusy, problem } = useAction();
  const path = `/webhooks/${webhook.id}`;
  const rotate = async () => {
    const { data } = await patch<{ data: { secret: string | null } }>(path, { rotate_secret: true });
    setSecret(data.secret);
  };
  return (
    <section class="stack" aria-labelledby="webhook-secrets">
      <h3 id="webhook-secrets">{t.secrets}</h3>
      <p class="hint">{t.secretsHint}</p>
      {secret !== null && <SecretNote title={t.secretOf(webhook.name)} hint={t.secretHint} secret={secret} />}
      <ul class="lines">
        {webhook.secrets_since.map((since) => (
          <li key={since}>
            <div>
              {t.validSince} <Instant at={since} />
            </div>
          </li>
        ))}
      </ul>
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="buttons">
        {webhook.secrets_since.length > 1 ? (
          <button
            type="button"
            class="secondary"
            disabled={isBusy}
            onClick={() => void run(() => patch(path, { drop_old_secret: true }))}
          >
            {t.dropOld}
          </button>
        ) : (
          <button type="button" class="secondary" disabled={isBusy} onClick={() => void run(rotate)}>
            {t.rotate}
          </button>
        )}
      </div>
    </section>
  );
}
