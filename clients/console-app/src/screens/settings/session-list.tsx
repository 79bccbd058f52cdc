import { remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { browserOf } from './browser-of.ts';

interface ListedSession {
  id: number;
  is_this: boolean;
  began_at: string;
  used_at: string;
  ends_at: string;
  address: string;
  user_agent: string;
}

/** Where the user is signed in. */
export function SessionList() {
  const t = texts.value.settings;
  const { answer, problem, reload } = useRead<{ data: readonly ListedSession[] }>('/sessions');
  const action = useAction();
  return (
    <section class="card stack" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{t.sessionsTitle}</h2>
      <p class="hint">{t.sessionsHint(durationText((session.value?.idle_seconds ?? 0) * 1_000))}</p>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {action.problem !== null && <ProblemNote problem={action.problem} />}
      <ul class="lines">
        {answer?.data.map((each) => (
          <li key={each.id}>
            <div>
              <strong title={each.user_agent}>{browserOf(each.user_agent) ?? t.unknownBrowser}</strong>
              <p class="hint">
                {each.address} · {t.lastUsed} <Instant at={each.used_at} />
              </p>
            </div>
            {each.is_this ? (
              <Badge tone="moved">{t.thisSession}</Badge>
            ) : (
              <button
                type="button"
                class="small secondary"
                disabled={action.isBusy}
                onClick={() => void action.run(() => remove(`/sessions/${each.id}`))}
              >
                {t.endSession}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
