import { PRESENCE_STATES, type PresenceState } from '../../api/report.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** As long as the server's answer stays the same. */
const EVERY_MS = 60_000;

interface StateCounts {
  counts: Readonly<Record<PresenceState, number>> | null;
  not_counted: 'assets' | 'evidence' | null;
  most_assets: number;
}

/** Assets by state; each leads to those that are in it. */
export function StateCounts() {
  const t = texts.value.presence;
  const { answer, problem, reload } = useRead<{ data: StateCounts }>('/presence');
  useRepeat(reload, EVERY_MS);
  const counted = answer?.data;
  if (counted === undefined && problem !== null) {
    return <ProblemNote problem={problem} onRetry={reload} />;
  }
  if (counted?.counts === null) {
    return (
      <p class="hint">
        {counted.not_counted === 'assets' ? t.notCounted.assets(counted.most_assets) : t.notCounted.evidence}{' '}
        <a class="plain" href={href('reports', 'presence')}>
          {t.toReport}
        </a>
      </p>
    );
  }
  return (
    <ul class="state-counts" aria-label={t.title} aria-busy={counted === undefined}>
      {PRESENCE_STATES.map((state) => (
        <li key={state}>
          <a
            class={counted?.counts?.[state] === 0 ? 'state-count' : `state-count state-${state}`}
            href={href('reports', 'presence', { state })}
          >
            <span class="state-number">
              {counted === undefined ? '…' : texts.value.now.count(counted.counts?.[state] ?? 0)}
            </span>
            <span class="hint">{t.states[state]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
