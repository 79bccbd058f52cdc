import type { Rejected } from '../../api/inbox.ts';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Texts } from '../../texts/texts.ts';

export function rejectedColumns({ inbox: t }: Texts): readonly Column<Rejected>[] {
  return [
    { title: t.reason, cell: ({ reason }) => reason },
    { title: t.reader, cell: ({ reader }) => <span class="title">{reader?.name ?? '–'}</span> },
    { title: t.received, cell: ({ received_at }) => <Instant at={received_at} /> },
    { title: t.topic, weight: 3, cell: ({ topic }) => <span class="mono">{topic}</span> },
    { title: t.size, weight: 2, isNumber: true, cell: ({ size }) => t.bytes(size) },
  ];
}
