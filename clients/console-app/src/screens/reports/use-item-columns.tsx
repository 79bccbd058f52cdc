import { useNames } from '../../api/use-names.ts';
import { nameAndKey } from '../../parts/save-file.ts';
import type { Column } from '../../parts/table.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { dayText } from './report-words.ts';

interface Items {
  asset_id?: number | null;
  asset_external_key?: string | null;
  location_id?: number | null;
  location_external_key?: string | null;
}

/** Columns of the asset and of the place of a row, by their names, which lead there; keys until the names are known. */
export function useItemColumns<Row extends Items>(rows: readonly Row[]) {
  const t = texts.value.reports;
  const assets = useNames(
    'assets',
    rows.map(({ asset_external_key: key }) => key ?? null),
  );
  const places = useNames(
    'locations',
    rows.map(({ location_external_key: key }) => key ?? null),
  );
  const asset: Column<Row> = {
    title: t.asset,
    sortBy: 'asset_external_key',
    cell: (row) => (
      <ItemLink screen="asset" id={row.asset_id} itemKey={row.asset_external_key} names={assets} />
    ),
    saved: (row) => nameAndKey(t.asset, row.asset_external_key, assets),
  };
  const place: Column<Row> = {
    title: t.place,
    sortBy: 'location_external_key',
    cell: (row) => (
      <ItemLink screen="place" id={row.location_id} itemKey={row.location_external_key} names={places} />
    ),
    saved: (row) => nameAndKey(t.place, row.location_external_key, places),
  };
  return {
    asset,
    place,
    assetName: (key: string) => assets.get(key) ?? key,
    placeName: (key: string) => places.get(key) ?? key,
  };
}

/** What rows of a grouped report are about, in words and as a column: a day, a place, an asset, or all deleted ones. */
export function useGroups<Row extends Items & { day: string | null }>(
  rows: readonly Row[],
  group: keyof typeof texts.value.reports.groups,
) {
  const t = texts.value.reports;
  const { asset, place, assetName, placeName } = useItemColumns(rows);
  const wordOf = ({ day, location_external_key: placeKey, asset_external_key: assetKey }: Row) =>
    day !== null
      ? dayText(day)
      : placeKey != null
        ? placeName(placeKey)
        : assetKey != null
          ? assetName(assetKey)
          : t.deletedAssets;
  const column: Column<Row> = {
    title: t.groups[group],
    sortBy: group === 'day' ? 'day' : `${group}_external_key`,
    cell: (row) =>
      row.asset_id != null ? asset.cell(row) : row.location_id != null ? place.cell(row) : wordOf(row),
    saved: (row) =>
      row.day !== null
        ? new Date(row.day)
        : {
            [t.groups[group]]: wordOf(row),
            [texts.value.common.keyOf(t.groups[group])]: row.location_external_key ?? row.asset_external_key,
          },
  };
  return { wordOf, column };
}

function ItemLink({
  screen,
  id = null,
  itemKey = null,
  names,
}: {
  screen: 'asset' | 'place';
  id: number | null | undefined;
  itemKey: string | null | undefined;
  names: ReadonlyMap<string, string>;
}) {
  return id === null || itemKey === null ? (
    <span class="none">–</span>
  ) : (
    <a class="title" href={href(screen, id)} title={itemKey}>
      {names.get(itemKey) ?? itemKey}
    </a>
  );
}
