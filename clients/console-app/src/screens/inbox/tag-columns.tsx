import type { UnknownTag } from '../../api/types.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import { may } from '../../session/session.ts';
import type { Texts } from '../../texts/texts.ts';
import { IgnoreButton } from './ignore-button.tsx';
import { Strength } from './strength.tsx';

export function tagColumns({ inbox: t, tags }: Texts): readonly Column<UnknownTag>[] {
  return [
    {
      title: t.tag,
      cell: ({ tag_type, value, is_ambiguous }) => (
        <>
          <span class="tag-type">{tags.types[tag_type]}</span>
          <span class="mono">{value}</span>
          {is_ambiguous && <Badge tone="problem">{t.ambiguous}</Badge>}
        </>
      ),
    },
    { title: t.strength, sortBy: 'rssi', cell: ({ last_read: { rssi } }) => <Strength rssi={rssi} /> },
    { title: t.count, sortBy: 'count', weight: 2, isNumber: true, cell: ({ count }) => t.number(count) },
    { title: t.lastSeen, sortBy: 'last_seen_at', cell: ({ last_seen_at }) => <Instant at={last_seen_at} /> },
    { title: t.readBy, weight: 2, cell: ({ last_read }) => <LastRead read={last_read} t={t} /> },
    {
      title: t.firstSeen,
      sortBy: 'first_seen_at',
      weight: 3,
      cell: ({ first_seen_at }) => <Instant at={first_seen_at} />,
    },
    ...(may('operator')
      ? [
          {
            title: t.ignore,
            isTitleUnseen: true,
            weight: 2 as const,
            cell: (tag: UnknownTag) => <IgnoreButton tag={tag} />,
          },
        ]
      : []),
  ];
}

export function LastRead({ read, t }: { read: UnknownTag['last_read']; t: Texts['inbox'] }) {
  const { reader, antenna_port: port, location_name: place } = read;
  const by = reader === null ? t.byHandheld : t.antenna(reader.name, port);
  return (
    <>
      <span class="title">{by}</span>
      {place !== null && <span class="faint">{t.at(place)}</span>}
    </>
  );
}
