import type { Place } from '../../api/place.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PlaceName } from '../../parts/place-name.tsx';
import type { Column } from '../../parts/table.tsx';
import { hrefWith } from '../../router/router.ts';
import type { Texts } from '../../texts/texts.ts';

/** @param names of places by their keys, as far as they are known. */
export function placeColumns(
  { places: t, items }: Texts,
  names: ReadonlyMap<string, string>,
): readonly Column<Place>[] {
  return [
    { title: items.name, sortBy: 'name', cell: ({ name }) => <span class="title">{name}</span> },
    {
      title: items.key,
      sortBy: 'external_key',
      cell: ({ external_key }) => <span class="mono">{external_key}</span>,
    },
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
    },
    {
      title: items.tags,
      weight: 3,
      isNumber: true,
      cell: ({ tags }) => (tags.length === 0 ? <span class="none">–</span> : tags.length),
    },
    {
      title: t.created,
      weight: 2,
      sortBy: 'created_at',
      cell: ({ created_at, deleted_at, is_active }) => (
        <span class="with-badge">
          <Instant at={created_at} />
          {deleted_at !== null && <Badge tone="refused">{t.retired}</Badge>}
          {deleted_at === null && !is_active && <Badge>{items.inactive}</Badge>}
        </span>
      ),
    },
  ];
}
