import type { ChangePage } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { ProblemNote } from '../problem-note.tsx';
import { ChangeLine } from './change-line.tsx';

const SHOWN = 5;

/** The last changes of an asset or a place, on its page. */
export function ChangesOf({ type, id }: { type: 'asset' | 'location'; id: number }) {
  const t = texts.value.changes;
  const { answer, problem, reload } = useRead<ChangePage>('/changes', {
    resource_type: type,
    resource_id: id,
    limit: SHOWN,
  });
  return (
    <section class="stack" aria-labelledby="changes-of">
      <h2 id="changes-of">{t.title}</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {answer?.data.length === 0 && <p class="hint">{t.noneOfOne}</p>}
      <ul class="lines">
        {answer?.data.map((change) => (
          <ChangeLine key={change.id} change={change} isFiltering={false} />
        ))}
      </ul>
      {answer?.next != null && (
        <div class="buttons">
          <a class="small secondary" href={href('settings', 'changes', { type, id })}>
            {t.allOfOne}
          </a>
        </div>
      )}
    </section>
  );
}
