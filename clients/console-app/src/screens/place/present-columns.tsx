import type { Present } from '../../api/whereabouts.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';

export function presentColumns(): readonly Column<Present>[] {
  const t = texts.value.place;
  return [
    { title: t.asset, cell: ({ name }) => <span class="title">{name}</span> },
    { title: t.key, weight: 3, cell: ({ external_key }) => <span class="mono">{external_key}</span> },
    { title: t.since, weight: 2, cell: ({ since }) => <Instant at={since} /> },
    {
      title: t.stayed,
      isNumber: true,
      cell: ({ since }) => (since === null ? '–' : durationText(Date.now() - Date.parse(since))),
    },
    { title: t.lastSeen, weight: 2, cell: ({ last_seen }) => <Instant at={last_seen} /> },
  ];
}
