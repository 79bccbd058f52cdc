import { useRead } from '../../../api/use-read.ts';
import { Instant } from '../../../parts/instant.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { texts } from '../../../texts/texts.ts';
import type { Health } from './finding.ts';
import { FindingList } from './finding-list.tsx';
import { RetentionFacts } from './retention-facts.tsx';

/** `#/settings/health`: what is wrong, and what to do about it; looked at when it is opened, and on demand. */
export function HealthSection() {
  const t = texts.value.health;
  const { answer, problem, isLoading, reload } = useRead<{ data: Health }>('/health');
  const health = answer?.data;
  return (
    <section class="stack" aria-labelledby="health-title">
      <div class="section-head">
        <div>
          <h2 id="health-title">{t.title}</h2>
          <p class="hint" role="status">
            {isLoading ? t.looking : health !== undefined && t.lookedAt}{' '}
            {!isLoading && health !== undefined && <Instant at={health.checked_at} />}
          </p>
        </div>
        <button type="button" class="secondary" disabled={isLoading} onClick={reload}>
          {t.lookAgain}
        </button>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {health !== undefined && (
        <>
          <FindingList title={t.organization} findings={health.organization} />
          <FindingList title={t.installation} findings={health.installation} />
          <RetentionFacts retention={health.retention} />
        </>
      )}
    </section>
  );
}
