import type { Asset } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState, NothingFound } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PlaceName } from '../../parts/place-name.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { address, href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { ListActions } from '../import/list-actions.tsx';
import { ITEM_FIELDS, type ItemKind, itemDraftOf, itemValuesOf } from '../items/item-kind.ts';
import { OpenItem } from '../items/open-item.tsx';
import { usePicked } from '../labels/use-picked.ts';

const FILTERS = ['is_active', 'include_deleted', 'location_id', 'location_external_key'];

/** `#/assets?q=…&open=17`: the list, and the asset that is being edited in a sheet beside it. */
export function AssetsScreen() {
  const t = texts.value.assets;
  const list = useList<Asset>('/assets', {
    filters: FILTERS,
    sort: 'external_key',
  });
  const shown = new Set(list.rows.map(({ id }) => id));
  useReloadOnMoves(({ data }) => data.current.changed && shown.has(data.asset.id), list.reload);
  const names = useNames(
    'locations',
    list.rows.map(({ location_external_key: key }) => key),
  );
  const picked = usePicked(list.rows);
  const open = address.value.query.get('open');
  const add = may('operator') && (
    <a class="primary" href={hrefWith({ open: 'new' })}>
      {t.add}
    </a>
  );
  return (
    <div class="page">
      <PageHead
        title={texts.value.screens.assets}
        {...(list.total === undefined ? {} : { sub: t.sub(list.total) })}
      >
        <ListActions resource="asset" filters={FILTERS} picked={picked.keys} />
        {add}
      </PageHead>
      <div class="filters">
        <SearchField label={texts.value.items.search} />
        <Filter
          name="is_active"
          label={t.active.label}
          options={[
            { value: '', word: t.active.all },
            { value: 'true', word: t.active.true },
            { value: 'false', word: t.active.false },
          ]}
        />
        <Filter
          name="include_deleted"
          label={t.retiredFilter.label}
          options={[
            { value: '', word: t.retiredFilter.no },
            { value: 'true', word: t.retiredFilter.yes },
          ]}
        />
      </div>
      <Table
        label={t.list}
        list={list}
        columns={assetColumns(texts.value, names)}
        selection={picked.selection}
        rowKey={({ id }) => id}
        rowHref={({ id }) => hrefWith({ open: id })}
        isOpen={({ id }) => String(id) === open}
        isFaint={({ deleted_at }) => deleted_at !== null}
        empty={
          list.isFiltered ? (
            <NothingFound hint={t.nothingFoundHint} allHref={list.allHref} />
          ) : (
            <EmptyState icon="asset" title={t.none} hint={t.noneHint}>
              {add}
              {may('operator') && (
                <a class="secondary" href={href('import')}>
                  {texts.value.imports.fromFile}
                </a>
              )}
            </EmptyState>
          )
        }
      />
      <OpenItem kind={ASSET_KIND} rows={list.rows} />
    </div>
  );
}

/** @param names of places by their keys, as far as they are known. */
function assetColumns(
  { assets: t, items }: Texts,
  names: ReadonlyMap<string, string>,
): readonly Column<Asset>[] {
  return [
    { title: items.name, sortBy: 'name', cell: ({ name }) => <span class="title">{name}</span> },
    {
      title: items.key,
      sortBy: 'external_key',
      cell: ({ external_key }) => <span class="mono">{external_key}</span>,
    },
    {
      title: t.place,
      cell: ({ location_external_key: key }) =>
        key === null ? (
          <span class="none">{t.nowhere}</span>
        ) : (
          <PlaceName placeKey={key} name={names.get(key)} />
        ),
    },
    {
      title: items.tags,
      weight: 3,
      cell: ({ tags }) => <TagList tags={tags} />,
    },
    {
      title: t.changed,
      weight: 2,
      sortBy: 'updated_at',
      cell: ({ updated_at, deleted_at, is_active }) => (
        <span class="with-badge">
          <Instant at={updated_at} />
          {deleted_at !== null && <Badge tone="refused">{t.retired}</Badge>}
          {deleted_at === null && !is_active && <Badge>{items.inactive}</Badge>}
        </span>
      ),
    },
  ];
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

const ASSET_KIND: ItemKind<Asset> = {
  path: '/assets',
  retired: { path: '/retired-assets', screen: 'asset' },
  words: () => texts.value.assets,
  draftOf: itemDraftOf,
  valuesOf: itemValuesOf,
  shownFields: ITEM_FIELDS,
};
