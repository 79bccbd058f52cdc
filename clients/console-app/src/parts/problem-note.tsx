import { Icon } from '../../../ui/parts/icon.tsx';
import type { ApiError } from '../api/api-error.ts';
import { texts } from '../texts/texts.ts';
import { problemText } from './problem-text.ts';

/** `shown`: fields that show their own faults, left out here. */
export function ProblemNote({
  problem,
  shown = [],
  onRetry,
}: {
  problem: ApiError;
  shown?: readonly string[];
  onRetry?: () => void;
}) {
  if (problem.fields.length > 0 && problem.fields.every(({ field }) => shown.includes(field))) {
    return null;
  }
  return (
    <div class="note note-refused" role="alert">
      <Icon name="alert" />
      <p>{problemText(problem)}</p>
      {onRetry !== undefined && (
        <button type="button" class="small secondary" onClick={onRetry}>
          {texts.value.common.tryAgain}
        </button>
      )}
    </div>
  );
}
