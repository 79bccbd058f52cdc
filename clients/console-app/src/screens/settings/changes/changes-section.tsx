import { read } from '../../../api/send.ts';
import type { Change, ChangePage } from '../../../api/types.ts';
import type { Whole } from '../../../api/use-list.ts';
import { useRead } from '../../../api/use-read.ts';
import { actorWords, ChangeLine, changeRows, resourceWords } from '../../../parts/changes.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Field } from '../../../parts/field.tsx';
import { Filter } from '../../../parts/filter.tsx';
import { saveWhole } from '../../../parts/printing.ts';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { Act } from '../../../parts/table.tsx';
import type { QueryValues } from '../../../router/address.ts';
import { address, href, hrefWith, replaceAddress } from '../../../router/router.ts';
import { may, session } from '../../../session/session.ts';
import { texts } from '../../../texts/texts.ts';

const FILTERS = ['actor', 'type', 'id', 'from', 'to'];

/** `#/settings/changes?actor=user:3&type=asset&id=17&from=…&to=…&cursor=…`: who changed what, the newest first. */
export function ChangesSection() {
  const t = texts.value.changes;
  const { query } = address.value;
  const [actorType = null, actorId = null] = (query.get('actor') ?? '').split(/:(.*)/s);
  const cursor = query.get('cursor');
  const asked = {
    ...(actorId === null ? {} : { actor_type: actorType, actor_id: actorId }),
    resource_type: query.get('type'),
    resource_id: query.get('type') === null ? null : query.get('id'),
    since: instantOf(query.get('from')),
    until: instantOf(query.get('to')),
  };
  const { answer, problem, isLoading, reload } = useRead<ChangePage>('/changes', {
    ...asked,
    cursor,
    limit: 50,
  });
  const isFiltered = FILTERS.some((name) => query.has(name));
  return (
    <section class="stack" aria-labelledby="changes-title">
      <div>
        <h2 id="changes-title">{t.title}</h2>
        <p class="hint">{t.lead}</p>
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
        {(answer?.data.length ?? 0) > 0 && (
          <Act label={t.save} icon="download" onClick={() => void saveChanges(asked)} />
        )}
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

/** Those of all pages, from the newest. */
async function saveChanges(asked: QueryValues): Promise<void> {
  const changes: Change[] = [];
  const whole: Whole = {
    load: async (most, signal, onRows) => {
      let cursor: string | null = null;
      do {
        const query: QueryValues = { ...asked, cursor, limit: 200 };
        const page: ChangePage = await read('/changes', { query, signal });
        changes.push(...page.data);
        cursor = page.next;
        onRows(changes.length, most);
      } while (cursor !== null && changes.length < most);
    },
    drop: () => {},
  };
  await saveWhole(texts.value.changes.title, whole, () => changeRows(changes));
}

/** A time of the address, in the viewer's zone; null if invalid. */
function instantOf(text: string | null): string | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Told to administrators only. */
const OF_PEOPLE = ['user', 'membership', 'session', 'link'];

/** By author (as far as the page shows them), by resource, and by time. */
function ChangeFilters({ shown }: { shown: readonly Change[] }) {
  const t = texts.value.changes;
  const { query } = address.value;
  const asked = query.get('actor') ?? '';
  const own = session.value == null ? null : { type: 'user', id: String(session.value.user.id), name: null };
  const actors = new Map<string, string>(own === null ? [] : [[`user:${own.id}`, t.me]]);
  for (const { actor } of shown) {
    const key = `${actor.type}:${actor.id}`;
    actors.set(key, actors.get(key) ?? actorWords(actor));
  }
  if (asked !== '' && !actors.has(asked)) {
    actors.set(asked, asked);
  }
  const types = Object.entries(t.resources).filter(([type]) => may('admin') || !OF_PEOPLE.includes(type));
  const id = query.get('id');
  return (
    <div class="filters">
      <Filter
        name="actor"
        label={t.who}
        options={[{ value: '', word: t.anybody }, ...[...actors].map(([value, word]) => ({ value, word }))]}
      />
      {id === null ? (
        <Filter
          name="type"
          label={t.what}
          options={[
            { value: '', word: t.anything },
            ...types.map(([value, word]) => ({ value, word: t.capital(word) })),
          ]}
        />
      ) : (
        <a class="secondary" href={hrefWith({ type: null, id: null, cursor: null })}>
          {t.onlyOne(shown[0] === undefined ? id : resourceWords(shown[0].resource))} ×
        </a>
      )}
      {(['from', 'to'] as const).map((name) => (
        <Field
          key={name}
          label={t[name]}
          type="datetime-local"
          value={query.get(name) ?? ''}
          onValue={(value) => replaceAddress(hrefWith({ [name]: value, cursor: null }))}
        />
      ))}
    </div>
  );
}
