import type { Asset } from '../../api/types.ts';
import { ASSET_FILTERS, useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { usePresence } from '../../parts/presence.tsx';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { ListActions } from '../import/list-actions.tsx';
import { AddItem, ItemTable } from '../items/item-table.tsx';
import { OpenItem } from '../items/open-item.tsx';
import { usePicked } from '../labels/use-picked.ts';
import { assetColumns, chosenColumns } from './asset-columns.tsx';
import { AssetFilters } from './asset-filters.tsx';
import { ASSET_KIND } from './asset-kind.tsx';
import { Ticked } from './ticked.tsx';

/** `#/assets?q=…&open=new` */
export function AssetsScreen() {
  const t = texts.value.assets;
  const list = useList<Asset>('/assets', {
    filters: ASSET_FILTERS,
    sort: 'external_key',
  });
  const shown = new Set(list.rows.map(({ id }) => id));
  const presence = usePresence(list.rows.map(({ id }) => id));
  useReloadOnMoves(
    ({ data }) => data.current.changed && shown.has(data.asset.id),
    () => {
      list.reload();
      presence.reload();
    },
  );
  const names = useNames(
    'locations',
    list.rows.map(({ location_external_key: key }) => key),
  );
  const picked = usePicked(list.rows);
  return (
    <div class="page">
      <PageHead
        title={texts.value.screens.assets}
        {...(list.total === undefined ? {} : { sub: t.sub(list.total) })}
      >
        <ListActions resource="asset" list={list} picked={picked.keys} />
        <AddItem words={t} />
      </PageHead>
      <AssetFilters />
      {may('operator') && picked.keys.length > 0 && <Ticked keys={picked.keys} list={list} />}
      <ItemTable
        resource="asset"
        label={t.list}
        list={list}
        columns={assetColumns(chosenColumns(), names, presence.byId)}
        selection={picked.selection}
      />
      <OpenItem kind={ASSET_KIND} rows={list.rows} />
    </div>
  );
}
