import type { ChangePage } from '../../../api/change.ts';
import { useRead } from '../../../api/use-read.ts';
import { ChangeLine } from '../../../parts/changes/change-line.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { address, href, hrefWith } from '../../../router/router.ts';
import { texts } from '../../../texts/texts.ts';
import { ChangeFilters } from './change-filters.tsx';

const FILTERS = ['actor', 'type', 'id', 'from', 'to'];

/** `#/settings/changes?actor=user:3&type=asset&id=17&from=…&to=…&cursor=…`: who changed what, the newest first. */
export function ChangesSection() {
  const t = texts.value.changes;
  const { query } = address.value;
  const [actorType = null, actorId = null] = (query.get('actor') ?? '').split(/:(.*)/s);
  const cursor = query.get('cursor');
  const { answer, problem, isLoading, reload } = useRead<ChangePage>('/changes', {
    ...(actorId === null ? {} : { actor_type: actorType, actor_id: actorId }),
    resource_type: query.get('type'),
    resource_id: query.get('type') === null ? null : query.get('id'),
    since: instantOf(query.get('from')),
    until: instantOf(query.get('to')),
    cursor,
    limit: 50,
  });
  const isFiltered = FILTERS.some((name) => query.has(name));
  return (
    <section class="stack" aria-labelledby="changes-title">
      <div class="section-head">
        <div>
          <h2 id="changes-title">{t.title}</h2>
          <p class="hint">{t.lead}</p>
        </div>
      </div>
      <ChangeFilters shown={answer?.data ?? []} />
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {answer?.data.length === 0 && (
        <EmptyState icon="history" title={isFiltered ? texts.value.items.nothingFound : t.none}>
          {isFiltered && (
            <a class="secondary" href={href('settings', 'changes')}>
              {texts.value.common.showAll}
            </a>
          )}
        </EmptyState>
      )}
      {(answer?.data.length ?? 0) > 0 && (
        <ul class="lines card" aria-busy={isLoading}>
          {answer?.data.map((change) => (
            <ChangeLine key={change.id} change={change} isFiltering />
          ))}
        </ul>
      )}
      <nav class="buttons" aria-label={texts.value.common.pages}>
        {cursor !== null && (
          <a class="secondary" href={hrefWith({ cursor: null })}>
            {t.newest}
          </a>
        )}
        {answer?.next != null && (
          <a class="secondary" href={hrefWith({ cursor: answer.next })}>
            {t.earlier}
          </a>
        )}
      </nav>
    </section>
  );
}

/** Of a time as it stands in the address, in the viewer's zone; null if it is none. */
function instantOf(text: string | null): string | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
