import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Asset, Data, Presence } from '../../api/types.ts';
import { FIELD } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { PlaceName } from '../../parts/move-line.tsx';
import { Popover } from '../../parts/popover.tsx';
import { StateBadge, stateWord, type usePresence } from '../../parts/presence.tsx';
import { nameAndKey } from '../../parts/save-file.ts';
import type { Column } from '../../parts/table.tsx';
import { address, hrefWith, replaceAddress } from '../../router/router.ts';
import { membership, session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { keyColumn, nameColumn } from '../items/item-table.tsx';
import { FieldInput, MOST_LETTERS, metadataText } from './asset-kind.tsx';

/** Beside the name, in the order of the table. Fields of metadata follow, as `metadata.owner`. */
const COLUMNS = [
  ...['external_key', 'place', 'last_seen', 'tags', 'tag_count', 'description'],
  ...['updated_at', 'created_at'],
] as const;
const USUAL: readonly string[] = ['external_key', 'place', 'last_seen', 'tags', 'updated_at'];
const MOST = 12;

/** A choice in the address is a link's or a view's. Without one it is what this person chose on this device. */
export function chosenColumns(): readonly string[] {
  const asked = address.value.query.getAll('column');
  const all = asked.length > 0 ? asked : kept();
  return [
    ...COLUMNS.filter((name) => all.includes(name)),
    ...new Set(all.filter((name) => name.startsWith(FIELD) && name !== FIELD)),
  ].slice(0, MOST);
}

/** Makes a choice known to those who drew the former one. */
const choices = signal(0);

function keptAs(): string {
  return `tagtrail.columns.${membership.value?.organization.id}.${session.value?.user.id}`;
}

function kept(): readonly string[] {
  const found = choices.value >= 0 ? new URLSearchParams(localStorage.getItem(keptAs()) ?? '') : null;
  const names = found?.getAll('column') ?? [];
  return names.length > 0 ? names : USUAL;
}

function choose(names: readonly string[]): void {
  const isUsual = names.length === USUAL.length && USUAL.every((name) => names.includes(name));
  if (isUsual) {
    localStorage.removeItem(keptAs());
  } else {
    // The name is always shown: it says that a list without any other column is a choice, too.
    const chosen = ['name', ...names].map((name) => ['column', name]);
    localStorage.setItem(keptAs(), String(new URLSearchParams(chosen)));
  }
  choices.value += 1;
  replaceAddress(hrefWith({ column: isUsual ? null : ['name', ...names] }));
}

export function ColumnChoice() {
  const { columns: t } = texts.value.assets;
  // Outlives the pop-up, as a click beside it closes it.
  const typing = useState('');
  return (
    <Popover
      class="list-choice"
      label={t.title}
      face={
        <>
          <Icon name="settings" /> {t.title}
        </>
      }
    >
      <Choice typing={typing} />
    </Popover>
  );
}

function Choice({ typing: [field, setField] }: { typing: [string, (field: string) => void] }) {
  const { assets, metadata: words } = texts.value;
  const t = assets.columns;
  const { answer } = useRead<{ data: Data<'GET /metadata-fields'> }>('/metadata-fields');
  const chosen = chosenColumns();
  const titles = titlesOf();
  const fields = (answer?.data ?? []).map(({ name }) => FIELD + name);
  const offered = [...COLUMNS, ...new Set([...chosen.filter((name) => name.startsWith(FIELD)), ...fields])];
  const isFull = chosen.length >= MOST;
  return (
    <div class="stack">
      <ul class="column-list">
        {offered.map((name) => (
          <li key={name}>
            <label class="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                disabled={isFull && !chosen.includes(name)}
                onChange={({ currentTarget: { checked } }) =>
                  choose(checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                }
              />
              {titles[name] ?? name.slice(FIELD.length)}
            </label>
          </li>
        ))}
      </ul>
      {isFull ? (
        <p class="hint">{t.most(MOST)}</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            choose([...new Set([...chosen, FIELD + field])]);
            setField('');
          }}
        >
          <FieldInput
            {...{ id: 'column-names', label: words.name, value: field, most: MOST_LETTERS.name, known: [] }}
            onValue={setField}
          />
          <button type="submit" class="secondary small">
            {t.add}
          </button>
        </form>
      )}
      <button type="button" class="secondary small" onClick={() => choose(USUAL)}>
        {t.usual}
      </button>
    </div>
  );
}

function titlesOf(): Readonly<Record<string, string>> {
  const { assets: t, items, places } = texts.value;
  return {
    external_key: items.key,
    place: t.place,
    last_seen: t.lastSeen,
    tags: items.tags,
    tag_count: t.columns.tagCount,
    description: items.description,
    updated_at: t.changed,
    created_at: places.created,
  };
}

/** @param names of places by their keys, as far as they are known. */
export function assetColumns(
  chosen: readonly string[],
  names: ReadonlyMap<string, string>,
  presence: ReturnType<typeof usePresence>['byId'],
): readonly Column<Asset>[] {
  const known = knownColumns(names, presence);
  // A choice of the person's own is shown on phones, too: the table moves sideways.
  const isOwn = chosen.length !== USUAL.length || !USUAL.every((name) => chosen.includes(name));
  return [nameColumn(texts.value.assets), ...chosen.map((name) => known[name] ?? fieldColumn(name))].map(
    (column) => (isOwn ? { ...column, weight: 1, class: 'own' } : column),
  );
}

function fieldColumn(name: string): Column<Asset> {
  const field = name.slice(FIELD.length);
  const shown = ({ metadata }: Asset) =>
    Object.hasOwn(metadata, field) ? metadataText(metadata[field]) : null;
  return {
    ...{ title: field, sortBy: name },
    cell: (asset) => <span class="field-value">{shown(asset)}</span>,
    saved: shown,
  };
}

function knownColumns(
  names: ReadonlyMap<string, string>,
  presence: ReturnType<typeof usePresence>['byId'],
): Readonly<Record<string, Column<Asset>>> {
  const { assets: t, reports } = texts.value;
  const titles = titlesOf() as Readonly<Record<(typeof COLUMNS)[number], string>>;
  const dated = (name: 'created_at' | 'updated_at'): Column<Asset> => ({
    ...{ title: titles[name], sortBy: name, weight: 2 },
    cell: ({ [name]: at }) => <Instant at={at} />,
    saved: ({ [name]: at }) => at,
  });
  return {
    external_key: keyColumn(),
    place: {
      title: titles.place,
      cell: ({ id, location_external_key: key }) => (
        <span class="with-badge">
          <State presence={presence.get(id)} />
          {key === null ? (
            <span class="none">{t.nowhere}</span>
          ) : (
            <PlaceName placeKey={key} name={names.get(key)} />
          )}
        </span>
      ),
      saved: ({ id, location_external_key: key }) => ({
        [reports.state]: stateWord(presence.get(id)?.state),
        ...nameAndKey(t.place, key, names),
      }),
    },
    last_seen: {
      ...{ title: titles.last_seen, weight: 3 },
      cell: ({ id }) => <Instant at={presence.get(id)?.last_seen ?? null} />,
      saved: ({ id }) => presence.get(id)?.last_seen,
    },
    tags: {
      ...{ title: titles.tags, weight: 3 },
      cell: ({ tags }) => <TagList tags={tags} />,
      saved: ({ tags }) => tags.map(({ value }) => value).join('; '),
    },
    tag_count: { title: titles.tag_count, isNumber: true, cell: ({ tags }) => tags.length },
    description: { title: titles.description, cell: ({ description }) => description },
    updated_at: dated('updated_at'),
    created_at: dated('created_at'),
  };
}

/** What was never seen has no place either, which says the same. */
function State({ presence }: { presence: Presence | undefined }) {
  return presence === undefined || presence.state === 'never_seen' ? null : (
    <StateBadge state={presence.state} />
  );
}

/** The first tag, and the number of the others. */
function TagList({ tags: [first, ...others] }: Pick<Asset, 'tags'>) {
  if (first === undefined) {
    return <span class="none">–</span>;
  }
  return (
    <span class="mono faint" title={[first, ...others].map(({ value }) => value).join('\n')}>
      {first.value}
      {others.length > 0 && ` +${others.length}`}
    </span>
  );
}
