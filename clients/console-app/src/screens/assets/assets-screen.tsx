import type { Asset } from '../../api/asset.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
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
import { assetColumns } from './asset-columns.tsx';
import { ASSET_KIND } from './asset-kind.ts';

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
