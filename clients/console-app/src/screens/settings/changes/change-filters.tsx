import type { Change } from '../../../api/change.ts';
import { actorWords, resourceWords } from '../../../parts/changes/change-words.ts';
import { Field } from '../../../parts/field.tsx';
import { Filter } from '../../../parts/filter.tsx';
import { address, hrefWith, replaceAddress } from '../../../router/router.ts';
import { may, session } from '../../../session/session.ts';
import { texts } from '../../../texts/texts.ts';

/** Told to administrators only. */
const OF_PEOPLE = ['user', 'membership', 'session', 'link'];

/** By who did it (as far as the page shows them), what it was done to, and when. */
export function ChangeFilters({ shown }: { shown: readonly Change[] }) {
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
