import type { Asset, Place } from '../../api/types.ts';
import type { List } from '../../api/use-list.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState, NothingFound } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
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

/** The name, and whether the item is retired or inactive. */
export function nameColumn({ retired }: ListWords): Column<Asset | Place> {
  const { name: title, inactive } = texts.value.items;
  return {
    ...{ title, sortBy: 'name' },
    cell: ({ name, deleted_at, is_active }) =>
      deleted_at === null && is_active ? (
        <span class="title">{name}</span>
      ) : (
        <span class="with-badge">
          <span class="title">{name}</span>
          {deleted_at === null ? <Badge>{inactive}</Badge> : <Badge tone="refused">{retired}</Badge>}
        </span>
      ),
    saved: ({ name }) => name,
  };
}

export function keyColumn(): Column<Asset | Place> {
  return {
    ...{ title: texts.value.items.key, sortBy: 'external_key' },
    cell: ({ external_key }) => <span class="mono">{external_key}</span>,
    saved: ({ external_key: key }) => key,
  };
}
