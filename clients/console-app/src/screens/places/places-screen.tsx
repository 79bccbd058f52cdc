import type { Place } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { Instant } from '../../parts/instant.tsx';
import { PlaceName } from '../../parts/move-line.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { nameAndKey } from '../../parts/save-file.ts';
import { SearchField } from '../../parts/search-field.tsx';
import type { Column } from '../../parts/table.tsx';
import { address, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { ListActions } from '../import/list-actions.tsx';
import { AddItem, ItemTable, keyColumn, nameColumn, RetiredFilter } from '../items/item-table.tsx';
import { OpenItem } from '../items/open-item.tsx';
import { usePicked } from '../labels/use-picked.ts';
import { EditTree } from './edit-tree.tsx';
import { PLACE_KIND } from './place-kind.tsx';
import { useWatches, WatchSheet, watchWords } from './watch.tsx';

const FILTERS = ['parent_id', 'is_active', 'include_deleted'];
const FIXED = { include_not_in_effect: true };

/** `#/places?parent_id=4&open=17`, `#/places?view=tree` */
export function PlacesScreen() {
  const t = texts.value.places;
  const list = useList<Place>('/locations', {
    filters: FILTERS,
    sort: 'external_key',
    fixed: FIXED,
  });
  const names = useNames(
    'locations',
    list.rows.map(({ parent_external_key: key }) => key),
  );
  const { query } = address.value;
  const picked = usePicked(list.rows);
  const watches = useWatches({ location_id: list.rows.map(({ id }) => id) });
  const isTree = query.get('view') === 'tree';
  return (
    <div class="page">
      <PageHead
        title={texts.value.screens.places}
        {...(list.total === undefined ? {} : { sub: t.sub(list.total) })}
      >
        <ListActions resource="location" list={list} picked={picked.keys} />
        {may('admin') && picked.keys.length > 0 && (
          <a class="secondary" href={hrefWith({ watch: picked.keys })}>
            {texts.value.watching.of(picked.keys.length)}
          </a>
        )}
        <AddItem words={t} />
      </PageHead>
      <div class="filters">
        <SearchField label={texts.value.items.search} />
        <a class="secondary" href={hrefWith({ view: isTree ? null : 'tree', page: null, parent_id: null })}>
          {isTree ? texts.value.placeTree.asList : texts.value.placeTree.asTree}
        </a>
        {query.has('parent_id') && (
          <a class="secondary" href={hrefWith({ parent_id: null, page: null })}>
            {t.allLevels}
          </a>
        )}
        {!isTree && <RetiredFilter words={t} />}
      </div>
      {isTree ? (
        <EditTree />
      ) : (
        <ItemTable
          resource="location"
          label={texts.value.screens.places}
          list={list}
          columns={placeColumns(texts.value, names, watches.byId)}
          selection={picked.selection}
        />
      )}
      <OpenItem kind={PLACE_KIND} rows={list.rows} />
      <WatchSheet />
    </div>
  );
}

/** @param names of places by their keys, as far as they are known. */
function placeColumns(
  { places: t, items, watching }: Texts,
  names: ReadonlyMap<string, string>,
  watches: ReturnType<typeof useWatches>['byId'],
): readonly Column<Place>[] {
  return [
    nameColumn(t),
    keyColumn(),
    {
      title: t.within,
      cell: ({ parent_id, parent_external_key: key }) =>
        key === null ? (
          <span class="none">–</span>
        ) : (
          <a
            class="plain"
            href={hrefWith({ parent_id, page: null })}
            title={t.besides(names.get(key) ?? key)}
          >
            <PlaceName placeKey={key} name={names.get(key)} />
          </a>
        ),
      saved: ({ parent_external_key: key }) => nameAndKey(t.within, key, names),
    },
    {
      title: items.tags,
      weight: 3,
      isNumber: true,
      cell: ({ tags }) => (tags.length === 0 ? <span class="none">–</span> : tags.length),
      saved: ({ tags }) => tags.map(({ value }) => value).join('; '),
    },
    {
      ...{ title: watching.column, weight: 3 },
      cell: ({ id }) =>
        watches.get(id)?.mode === 'continuous' ? watchWords(watches.get(id)) : <span class="none">–</span>,
      saved: ({ id }) => (watches.get(id)?.mode === 'continuous' ? watchWords(watches.get(id)) : null),
    },
    {
      ...{ title: t.created, sortBy: 'created_at', weight: 2 },
      cell: ({ created_at: at }) => <Instant at={at} />,
      saved: ({ created_at: at }) => at,
    },
  ];
}
