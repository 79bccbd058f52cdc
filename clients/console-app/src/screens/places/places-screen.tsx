import type { Place } from '../../api/place.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { NothingFound } from '../../parts/nothing-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Table } from '../../parts/table.tsx';
import { address, href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { ListActions } from '../import/list-actions.tsx';
import { OpenItem } from '../items/open-item.tsx';
import { usePicked } from '../labels/use-picked.ts';
import { EditTree } from './edit-tree.tsx';
import { placeColumns } from './place-columns.tsx';
import { PLACE_KIND } from './place-kind.tsx';

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
  const open = query.get('open');
  const isTree = query.get('view') === 'tree';
  const add = may('operator') && (
    <a class="primary" href={hrefWith({ open: 'new' })}>
      {t.add}
    </a>
  );
  return (
    <div class="page">
      <PageHead
        title={texts.value.screens.places}
        {...(list.total === undefined ? {} : { sub: t.sub(list.total) })}
      >
        <ListActions resource="location" filters={FILTERS} fixed={FIXED} picked={picked.keys} />
        {add}
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
        {!isTree && (
          <Filter
            name="include_deleted"
            label={t.retiredFilter.label}
            options={[
              { value: '', word: t.retiredFilter.no },
              { value: 'true', word: t.retiredFilter.yes },
            ]}
          />
        )}
      </div>
      {isTree ? (
        <EditTree />
      ) : (
        <Table
          label={texts.value.screens.places}
          list={list}
          columns={placeColumns(texts.value, names)}
          selection={picked.selection}
          rowKey={({ id }) => id}
          rowHref={({ id }) => hrefWith({ open: id })}
          isOpen={({ id }) => String(id) === open}
          isFaint={({ deleted_at }) => deleted_at !== null}
          empty={
            list.isFiltered ? (
              <NothingFound hint={t.nothingFoundHint} allHref={list.allHref} />
            ) : (
              <EmptyState icon="place" title={t.none} hint={t.noneHint}>
                {add}
                {may('operator') && (
                  <a class="secondary" href={href('import', { of: 'location' })}>
                    {texts.value.imports.fromFile}
                  </a>
                )}
              </EmptyState>
            )
          }
        />
      )}
      <OpenItem kind={PLACE_KIND} rows={list.rows} />
    </div>
  );
}
