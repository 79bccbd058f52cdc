import type { ApiError } from '../../api/api-error.ts';
import { hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** A report that cannot be answered of so long a time: a shorter one to go on with. */
export function Narrower({ problem }: { problem: ApiError | null }) {
  const t = texts.value.reports;
  return problem?.fields.some(({ field }) => field === 'from') === true ? (
    <p class="hint">
      {t.narrower}{' '}
      <a class="plain" href={hrefWith({ span: 'today', from: null, to: null, page: null })}>
        {t.spans.today}
      </a>
    </p>
  ) : null;
}
