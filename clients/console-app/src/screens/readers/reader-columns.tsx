import type { Reader } from '../../api/reader.ts';
import { NO_FORMAT } from '../../api/reader.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Texts } from '../../texts/texts.ts';
import { perMinute } from './per-minute.ts';
import { ReaderBadge, Silence } from './reader-badge.tsx';

export function readerColumns(t: Texts['readers']): readonly Column<Reader>[] {
  return [
    { title: t.name, sortBy: 'name', cell: ({ name }) => <span class="title">{name}</span> },
    { title: t.state, cell: (reader) => <ReaderBadge reader={reader} /> },
    { title: t.lastMessage, sortBy: 'last_message_at', cell: (reader) => <Silence reader={reader} /> },
    {
      title: t.rate,
      weight: 3,
      isNumber: true,
      cell: (reader) => (reader.unheard_since !== null ? <span class="none">–</span> : perMinute(reader, t)),
    },
    {
      title: t.counters.reads,
      weight: 2,
      isNumber: true,
      cell: ({ counters }) => t.number(counters.reads),
    },
    {
      title: t.antennas,
      weight: 2,
      cell: ({ antennas }) => {
        const unmapped = antennas.filter(
          (each) => each.enabled && each.location_external_key === null,
        ).length;
        return (
          <span class="with-badge">
            {antennas.length}
            {unmapped > 0 && <Badge tone="problem">{t.unmapped(unmapped)}</Badge>}
          </span>
        );
      },
    },
    {
      title: t.format,
      weight: 3,
      cell: ({ format }) =>
        format === NO_FORMAT ? <span class="none">–</span> : <span class="mono">{format}</span>,
    },
    { title: t.lastSignIn, weight: 3, cell: ({ last_used_at: at }) => <Instant at={at} /> },
  ];
}
