import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { type Data, PRESENCE_STATES } from '../../api/types.ts';
import { FIELD } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { Filter } from '../../parts/filter.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { RetiredFilter } from '../items/item-table.tsx';
import { PlaceFilter } from '../reports/filters.tsx';
import { ColumnChoice } from './asset-columns.tsx';
import { FieldInput, MOST_LETTERS } from './asset-kind.tsx';
import { SavedViews } from './saved-views.tsx';

/** As many as the API takes. */
const MOST_FIELDS = 5;

export function AssetFilters() {
  const { assets: t, items, presence } = texts.value;
  return (
    <div class="filters">
      <SearchField label={items.search} />
      <Filter
        name="state"
        label={t.anyState}
        options={[
          { value: '', word: t.anyState },
          ...PRESENCE_STATES.map((value) => ({ value, word: presence.states[value] })),
        ]}
      />
      <SeenFilter />
      <Filter
        name="is_active"
        label={t.active.label}
        options={[
          { value: '', word: t.active.all },
          { value: 'true', word: t.active.true },
          { value: 'false', word: t.active.false },
        ]}
      />
      <RetiredFilter words={t} />
      <PlaceFilter />
      <FieldFilters />
      <SavedViews />
      <ColumnChoice />
    </div>
  );
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Seconds. */
const SEEN = {
  seen_within_seconds: [HOUR, DAY, 7 * DAY],
  unseen_for_seconds: [HOUR, DAY, 7 * DAY, 30 * DAY],
};

/** Seen or unseen for a while: one choice, of two parameters. */
function SeenFilter() {
  const t = texts.value.assets.seen;
  const { query } = address.value;
  const none = Object.fromEntries(Object.keys(SEEN).map((name) => [name, null]));
  const asked = Object.keys(SEEN).find((name) => query.has(name));
  const options = Object.entries(SEEN).flatMap(([name, spans]) => {
    const given = name === asked ? Number(query.get(name)) : Number.NaN;
    // Somebody may have written another one into the address.
    const all = Number.isNaN(given) ? spans : [...new Set([...spans, given])];
    return all.map((seconds) => ({
      value: `${name}=${seconds}`,
      word: t[name as keyof typeof SEEN](durationText(seconds * 1_000)),
    }));
  });
  return (
    <label class={asked === undefined ? 'filter' : 'filter filter-on'}>
      <span class="unseen">{t.any}</span>
      <select
        value={asked === undefined ? '' : `${asked}=${query.get(asked)}`}
        onChange={(event) => {
          const [name = '', seconds] = event.currentTarget.value.split('=');
          go(hrefWith({ ...none, ...(name === '' ? {} : { [name]: seconds }), page: null }));
        }}
      >
        <option value="">{t.any}</option>
        {options.map(({ value, word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The filters by metadata, each with a link that removes it, and a form for another one. */
function FieldFilters() {
  const t = texts.value.assets.fieldFilter;
  const asked = [...address.value.query].filter(([name]) => name.startsWith(FIELD));
  return (
    <>
      {asked.map(([name, value]) => {
        const words = `${name.slice(FIELD.length)}: ${value}`;
        return (
          <a
            key={name}
            class="secondary small field-chip"
            href={hrefWith({ [name]: null, page: null })}
            aria-label={t.without(words)}
            title={t.without(words)}
          >
            <span>{words}</span> <Icon name="close" />
          </a>
        );
      })}
      {asked.length < MOST_FIELDS && <AddFieldFilter />}
    </>
  );
}

function AddFieldFilter() {
  const { fieldFilter: t } = texts.value.assets;
  const words = texts.value.metadata;
  const id = useId();
  const summary = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState(NOTHING);
  const { answer } = useRead<{ data: Data<'GET /metadata-fields'> }>(isOpen ? '/metadata-fields' : null);
  const known = answer?.data ?? [];
  const { name, value } = typed;
  return (
    <details class="field-filter" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary ref={summary}>{t.add}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setOpen(false);
          setTyped(NOTHING);
          summary.current?.focus();
          go(hrefWith({ [FIELD + name]: value, page: null }));
        }}
      >
        <FieldInput
          {...{ id: `${id}-names`, label: words.name, value: name, most: MOST_LETTERS.name }}
          known={known.map((field) => field.name)}
          onValue={(text) => setTyped({ ...typed, name: text })}
        />
        <FieldInput
          {...{ id: `${id}-values`, label: words.valueOf(name), value, most: MOST_LETTERS.text }}
          known={known.find((field) => field.name === name)?.values ?? []}
          onValue={(text) => setTyped({ ...typed, value: text })}
        />
        <button type="submit" class="secondary small">
          {t.filter}
        </button>
      </form>
    </details>
  );
}

const NOTHING = { name: '', value: '' };
