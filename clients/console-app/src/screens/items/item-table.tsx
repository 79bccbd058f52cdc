import type { Asset, Place } from '../../api/types.ts';
import type { List } from '../../api/use-list.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState, NothingFound } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Instant } from '../../parts/instant.tsx';
import { type Column, type Selection, Table } from '../../parts/table.tsx';
import { href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';

type ListWords = Texts['assets'] | Texts['places'];

/** Assets or places, each a link to its page. Where there are none, how to come by the first. */
export function ItemTable<Item extends Asset | Place>({
  resource,
  label,
  list,
  columns,
  selection,
}: {
  resource: 'asset' | 'location';
  label: string;
  list: List<Item>;
  columns: readonly Column<Item>[];
  selection: Selection<Item>;
}) {
  const { assets, places, imports } = texts.value;
  const [t, screen, of] =
    resource === 'asset' ? ([assets, 'asset', {}] as const) : ([places, 'place', { of: resource }] as const);
  return (
    <Table
      label={label}
      list={list}
      columns={columns}
      selection={selection}
      rowKey={({ id }) => id}
      rowHref={({ id }) => href(screen, id)}
      isFaint={({ deleted_at }) => deleted_at !== null}
      empty={
        list.isFiltered ? (
          <NothingFound hint={t.nothingFoundHint} allHref={list.allHref} />
        ) : (
          <EmptyState icon={screen} title={t.none} hint={t.noneHint}>
            <AddItem words={t} />
            {may('operator') && (
              <a class="secondary" href={href('import', of)}>
                {imports.fromFile}
              </a>
            )}
          </EmptyState>
        )
      }
    />
  );
}

export function AddItem({ words }: { words: ListWords }) {
  return may('operator') ? (
    <a class="primary" href={hrefWith({ open: 'new' })}>
      {words.add}
    </a>
  ) : null;
}

export function RetiredFilter({ words: { retiredFilter } }: { words: ListWords }) {
  return (
    <Filter
      name="include_deleted"
      label={retiredFilter.label}
      options={[
        { value: '', word: retiredFilter.no },
        { value: 'true', word: retiredFilter.yes },
      ]}
    />
  );
}

export function nameAndKeyColumns(): readonly Column<Asset | Place>[] {
  const t = texts.value.items;
  return [
    {
      title: t.name,
      sortBy: 'name',
      cell: ({ name }) => <span class="title">{name}</span>,
      saved: ({ name }) => name,
    },
    {
      title: t.key,
      sortBy: 'external_key',
      cell: ({ external_key }) => <span class="mono">{external_key}</span>,
      saved: ({ external_key: key }) => key,
    },
  ];
}

/** An instant of an item, and whether it is retired or inactive. */
export function datedColumn(
  title: string,
  sortBy: 'created_at' | 'updated_at',
  { retired }: ListWords,
): Column<Asset | Place> {
  return {
    ...{ title, sortBy, weight: 2 },
    cell: ({ [sortBy]: at, deleted_at, is_active }) => (
      <span class="with-badge">
        <Instant at={at} />
        {deleted_at !== null && <Badge tone="refused">{retired}</Badge>}
        {deleted_at === null && !is_active && <Badge>{texts.value.items.inactive}</Badge>}
      </span>
    ),
    saved: ({ [sortBy]: at }) => at,
  };
}
