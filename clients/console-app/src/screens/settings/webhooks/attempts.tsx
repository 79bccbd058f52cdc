import { useState } from 'preact/hooks';
import { useRead } from '../../../api/use-read.ts';
import type { Attempt } from '../../../api/webhook.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Instant } from '../../../parts/instant.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { texts } from '../../../texts/texts.ts';
import { outcomeOf } from './outcome.ts';

const FIRST = 10;
const MOST = 200;

/** What was sent last, and what was answered. */
export function Attempts({ id }: { id: number }) {
  const t = texts.value.webhooks;
  const [limit, setLimit] = useState(FIRST);
  const { answer, problem, reload } = useRead<{ data: readonly Attempt[]; total_count: number }>(
    `/webhooks/${id}/attempts`,
    { limit },
  );
  return (
    <section class="stack" aria-labelledby="webhook-attempts">
      <div class="section-head">
        <h3 id="webhook-attempts">{t.attempts}</h3>
        <button type="button" class="small secondary" onClick={reload}>
          {t.lookAgain}
        </button>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {answer?.data.length === 0 && <p class="hint">{t.noAttempts}</p>}
      <ul class="lines">
        {answer?.data.map((attempt) => (
          <li key={attempt.id}>
            <div>
              <Badge tone={isGood(attempt) ? 'moved' : 'refused'}>{attempt.status ?? t.noAnswer}</Badge>{' '}
              <Instant at={attempt.at} />
              <p class="hint">
                {attempt.position === null ? t.testEvent : t.position(attempt.position)}
                {attempt.attempt > 1 && ` · ${t.attempt(attempt.attempt)}`} · {attempt.milliseconds} ms
              </p>
              {!isGood(attempt) && <p class="hint">{outcomeOf(attempt)}</p>}
              {!isGood(attempt) && (attempt.answer ?? '') !== '' && <p class="mono">{attempt.answer}</p>}
            </div>
          </li>
        ))}
      </ul>
      {(answer?.total_count ?? 0) > limit && limit < MOST && (
        <div class="buttons">
          <button type="button" class="small secondary" onClick={() => setLimit(MOST)}>
            {t.moreAttempts}
          </button>
        </div>
      )}
    </section>
  );
}

function isGood({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
