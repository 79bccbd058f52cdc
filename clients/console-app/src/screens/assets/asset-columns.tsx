import type { Asset } from '../../api/asset.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PlaceName } from '../../parts/place-name.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Texts } from '../../texts/texts.ts';

/** @param names of places by their keys, as far as they are known. */
export function assetColumns(
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

/** The first, and how many there are besides. */
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
