import { useState } from 'preact/hooks';
import type { Rejected } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useKnownCount } from '../../live/inbox-counts.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Instant } from '../../parts/instant.tsx';
import { NothingFound } from '../../parts/nothing-found.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { BulkBar } from './bulk-bar.tsx';
import { NewLine } from './new-line.tsx';
import { RejectedSheet } from './rejected-sheet.tsx';
import { useNewCount } from './use-new-count.ts';

const FILTERS = ['state', 'reader_id'];

export function RejectedSection() {
  const t = texts.value.inbox;
  const list = useList<Rejected>('/rejected', { filters: FILTERS, sort: '' });
  const { query } = address.value;
  const isOpenOnes = query.get('state') === null;
  const narrowing = { q: query.get('q'), reader_id: query.get('reader_id') };
  const isAsked = isOpenOnes && list.total !== undefined && list.offset === 0;
  const count = useNewCount('/rejected', isAsked ? { ...narrowing, after_id: list.rows[0]?.id } : null);
  useKnownCount('rejected', list.isFiltered ? undefined : list.total);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const open = query.get('open');
  const shown = list.rows.map(({ id }) => id);
  const chosen = shown.filter((id) => selected.has(id));
  const isAll = chosen.length === shown.length && shown.length > 0;
  const selection = {
    isSelected: ({ id }: Rejected) => selected.has(id),
    isAll,
    label: ({ reason }: Rejected) => t.select(reason),
    allLabel: t.selectAll,
    toggle: ({ id }: Rejected) =>
      setSelected(new Set(selected.has(id) ? chosen.filter((each) => each !== id) : [...chosen, id])),
    toggleAll: () => setSelected(new Set(isAll ? [] : shown)),
  };
  return (
    <>
      <div class="filters">
        <SearchField label={t.searchRejected} />
        <Filter
          name="state"
          label={t.state.label}
          options={[
            { value: '', word: t.state.open },
            { value: 'replayed', word: t.state.replayed },
            { value: 'dismissed', word: t.state.dismissed },
          ]}
        />
        <NewLine count={count} text={t.newRejected(count)} onShow={list.reload} />
      </div>
      {may('operator') && isOpenOnes && (
        <BulkBar
          ids={chosen}
          total={isAll ? (list.total ?? 0) : 0}
          narrowing={narrowing}
          onClear={() => setSelected(new Set())}
        />
      )}
      <Table
        label={t.rejectedList}
        list={list}
        columns={rejectedColumns(texts.value)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => hrefWith({ open: id })}
        isOpen={({ id }) => String(id) === open}
        {...(may('operator') && isOpenOnes ? { selection } : {})}
        empty={
          list.isFiltered ? (
            <NothingFound hint={t.noRejectedFound} allHref={list.allHref} />
          ) : (
            <EmptyState icon="check" title={t.noRejected} hint={t.noRejectedHint} />
          )
        }
      />
      {open !== null && (
        <RejectedSheet key={open} id={Number(open)} onClose={() => go(hrefWith({ open: null }))} />
      )}
    </>
  );
}

function rejectedColumns({ inbox: t }: Texts): readonly Column<Rejected>[] {
  return [
    { title: t.reason, cell: ({ reason }) => reason },
    { title: t.reader, cell: ({ reader }) => <span class="title">{reader?.name ?? '–'}</span> },
    { title: t.received, cell: ({ received_at }) => <Instant at={received_at} /> },
    { title: t.topic, weight: 3, cell: ({ topic }) => <span class="mono">{topic}</span> },
    { title: t.size, weight: 2, isNumber: true, cell: ({ size }) => t.bytes(size) },
  ];
}
