import type { Asset, Presence } from '../../api/types.ts';
import { ASSET_FILTERS, useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { Instant } from '../../parts/instant.tsx';
import { PlaceName } from '../../parts/move-line.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateBadge, stateWord, usePresence } from '../../parts/presence.tsx';
import { nameAndKey } from '../../parts/save-file.ts';
import type { Column } from '../../parts/table.tsx';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { ListActions } from '../import/list-actions.tsx';
import { AddItem, datedColumn, ItemTable, nameAndKeyColumns } from '../items/item-table.tsx';
import { OpenItem } from '../items/open-item.tsx';
import { usePicked } from '../labels/use-picked.ts';
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
        columns={assetColumns(texts.value, names, presence.byId)}
        selection={picked.selection}
      />
      <OpenItem kind={ASSET_KIND} rows={list.rows} />
    </div>
  );
}

/** @param names of places by their keys, as far as they are known. */
function assetColumns(
  { assets: t, items, reports }: Texts,
  names: ReadonlyMap<string, string>,
  presence: ReturnType<typeof usePresence>['byId'],
): readonly Column<Asset>[] {
  return [
    ...nameAndKeyColumns(),
    {
      title: t.place,
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
    {
      ...{ title: t.lastSeen, weight: 3 },
      cell: ({ id }) => <Instant at={presence.get(id)?.last_seen ?? null} />,
      saved: ({ id }) => presence.get(id)?.last_seen,
    },
    {
      title: items.tags,
      weight: 3,
      cell: ({ tags }) => <TagList tags={tags} />,
      saved: ({ tags }) => tags.map(({ value }) => value).join('; '),
    },
    datedColumn(t.changed, 'updated_at', t),
  ];
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
