import type { ApiError } from '../../api/api-error.ts';
import { Instant } from '../../parts/instant.tsx';
import { hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** What to ask for instead of what a report cannot answer: a shorter time, or a later knowledge. */
export function Narrower({ problem }: { problem: ApiError | null }) {
  const t = texts.value.reports;
  const earliest = problem?.fields.find(({ field }) => field === 'known_at')?.params?.['earliest'];
  if (typeof earliest === 'string') {
    return (
      <p class="hint">
        {t.knownSince}{' '}
        <a class="plain" href={hrefWith({ known_at: earliest, page: null })}>
          <Instant at={earliest} isLong />
        </a>
      </p>
    );
  }
  return problem?.fields.some(({ field }) => field === 'from') === true ? (
    <p class="hint">
      {t.narrower}{' '}
      <a class="plain" href={hrefWith({ span: 'today', from: null, to: null, page: null })}>
        {t.spans.today}
      </a>
    </p>
  ) : null;
}
