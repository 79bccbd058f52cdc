import { useState } from 'preact/hooks';
import { Icon } from '../../../../../ui/parts/icon.tsx';
import { patch, post } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import type { TestResult, Webhook } from '../../../api/webhook.ts';
import { Instant } from '../../../parts/instant.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { texts } from '../../../texts/texts.ts';
import { outcomeOf } from './outcome.ts';
import { StateBadge } from './webhook-columns.tsx';

/** How it is, how far behind, and what to do about it at once. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const t = texts.value.webhooks;
  const [tested, setTested] = useState<TestResult | null>(null);
  const { run, isBusy, problem } = useAction();
  const path = `/webhooks/${webhook.id}`;
  const isOn = webhook.state === 'on';
  const test = async () => {
    setTested(null);
    setTested((await post<{ data: TestResult }>(`${path}/test`)).data);
  };
  return (
    <section class="stack" aria-label={t.state}>
      <dl class="facts">
        <dt>{t.state}</dt>
        <dd>
          <StateBadge webhook={webhook} /> {t.since} <Instant at={webhook.state_at} />
        </dd>
        <dt>{t.behind}</dt>
        <dd>{t.upTo(webhook.position, webhook.head)}</dd>
        {webhook.next_attempt_at !== null && (
          <>
            <dt>{t.nextAttempt}</dt>
            <dd>
              <Instant at={webhook.next_attempt_at} />
            </dd>
          </>
        )}
      </dl>
      {!isOn && <p class="hint">{t.waits}</p>}
      {problem !== null && <ProblemNote problem={problem} />}
      {tested !== null && (
        <div class={tested.delivered ? 'note note-seen' : 'note note-refused'} role="status">
          <Icon name={tested.delivered ? 'check' : 'alert'} />
          <p>
            {t.tested(tested.milliseconds)} {outcomeOf(tested)}
            {tested.answer !== null && tested.answer !== '' && <span class="mono"> {tested.answer}</span>}
          </p>
        </div>
      )}
      <div class="buttons">
        <button type="button" class="secondary" disabled={isBusy} onClick={() => void run(test)}>
          {t.test}
        </button>
        <button
          type="button"
          class="secondary"
          disabled={isBusy}
          onClick={() => void run(() => patch(path, { state: isOn ? 'off' : 'on' }))}
        >
          {isOn ? t.switchOff : t.switchOn}
        </button>
      </div>
    </section>
  );
}
