import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { NO_READS, type ReplayedReads, sumOfReads } from '../../api/replayed-reads.ts';
import { post } from '../../api/send.ts';
import type { Data, Rejected } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { asApiError } from '../../api/use-read.ts';
import { useKnownCount } from '../../live/inbox-counts.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState, NothingFound } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { ServerText } from '../../parts/server-text.tsx';
import { serverWords } from '../../parts/server-words.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { NewLine, useNewCount } from './new-line.tsx';
import { RejectedSheet } from './rejected-sheet.tsx';

const FILTERS = ['state', 'kind', 'reader_id'];

export function RejectedSection() {
  const t = texts.value.inbox;
  const list = useList<Rejected>('/rejected', { filters: FILTERS, sort: '' });
  const { query } = address.value;
  const isOpenOnes = query.get('state') === null;
  const narrowing = { q: query.get('q'), kind: query.get('kind'), reader_id: query.get('reader_id') };
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
        <Filter
          name="kind"
          label={t.keptKind.label}
          options={[
            { value: '', word: t.keptKind.all },
            { value: 'rejected', word: t.keptKind.rejected },
            { value: 'near_miss', word: t.keptKind.near_miss },
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
    {
      title: t.reason,
      cell: ({ kind, reason }) => (
        <>
          {kind === 'near_miss' && <Badge tone="seen">{t.nearMiss}</Badge>} <ServerText text={reason} />
        </>
      ),
      saved: ({ reason }) => serverWords(reason) ?? reason,
    },
    {
      title: t.reader,
      cell: ({ reader }) => <span class="title">{reader?.name ?? '–'}</span>,
      saved: ({ reader }) => reader?.name,
    },
    {
      title: t.received,
      cell: ({ received_at: at }) => <Instant at={at} />,
      saved: ({ received_at: at }) => at,
    },
    {
      title: t.topic,
      weight: 3,
      cell: ({ topic }) => <span class="mono">{topic}</span>,
      saved: ({ topic }) => topic,
    },
    {
      ...{ title: t.size, weight: 2, isNumber: true },
      cell: ({ size }) => t.bytes(size),
      saved: ({ size }) => size,
    },
  ];
}

/** Actions on the selected messages, and their progress. */
function BulkBar({
  ids,
  total,
  narrowing: { q, kind, reader_id: reader },
  onClear,
}: {
  ids: readonly number[];
  /** The number that match, where the whole page is selected. */
  total: number;
  narrowing: { q: string | null; kind: string | null; reader_id: string | null };
  onClear: () => void;
}) {
  const t = texts.value.inbox;
  const [isAll, setAll] = useState(false);
  const now = bulk.value;
  if (now !== null && !now.isOver) {
    return (
      <div class="bulk" role="status">
        <Progress label={t.progress[now.kind](doneOf(now), now.of)} done={doneOf(now)} of={now.of} />
        <button type="button" class="secondary small" onClick={stopBulk}>
          {t.stop}
        </button>
      </div>
    );
  }
  const isEvery = isAll && total > ids.length;
  const which: Which = isEvery
    ? {
        all: true,
        ...(q === null ? {} : { q }),
        ...(kind === null ? {} : { kind }),
        ...(reader === null ? {} : { reader_id: Number(reader) }),
      }
    : { ids };
  const start = async (kind: Bulk['kind']) => {
    const done = await startBulk(kind, which, isEvery ? total : ids.length);
    setAll(false);
    onClear();
    say(done);
  };
  return (
    <>
      {now?.problem != null && <ProblemNote problem={now.problem} />}
      {ids.length > 0 && (
        <div class="bulk">
          <p>{t.selected(isEvery ? total : ids.length)}</p>
          {total > ids.length && (
            <button type="button" class="inline-link" onClick={() => setAll(!isAll)}>
              {isAll ? t.onlyPage : t.allThatMatch(total)}
            </button>
          )}
          <div class="buttons">
            <button type="button" class="primary small" onClick={() => void start('replay')}>
              {t.replay}
            </button>
            <button type="button" class="secondary small" onClick={() => void start('dismiss')}>
              {t.dismiss}
            </button>
            <button type="button" class="secondary small" onClick={onClear}>
              {t.clear}
            </button>
          </div>
        </div>
      )}
    </>
  );
}

function say({ kind, replayed, rejected, cut, reads, dismissed }: Bulk): void {
  const t = texts.value.inbox;
  if (kind === 'replay') {
    toast(t.replayedMany(replayed, rejected, cut, reads));
  } else if (dismissed.length > 0) {
    toast(t.dismissedMany(dismissed.length), () => wantBack(dismissed));
  }
}

/** The server takes as many ids at once. */
const AT_ONCE = 500;

async function wantBack(ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    await post('/rejected/dismiss', { ids: ids.slice(at, at + AT_ONCE), undo: true });
  }
}

/** Selects these messages, or all open ones that a filter leaves. */
type Which = { ids: readonly number[] } | { all: true; kind?: string; reader_id?: number; q?: string };

interface Bulk {
  kind: 'replay' | 'dismiss';
  of: number;
  replayed: number;
  rejected: number;
  cut: number;
  reads: ReplayedReads;
  dismissed: readonly number[];
  isOver: boolean;
  problem: ApiError | null;
}

/** Work in progress; it continues on other screens, and ends with the page. */
const bulk = signal<Bulk | null>(null);

let isStopped = false;

function stopBulk(): void {
  isStopped = true;
}

function doneOf({ replayed, rejected, cut, dismissed }: Bulk): number {
  return replayed + rejected + cut + dismissed.length;
}

type Replayed = Data<'POST /rejected/replay'>;
type Part = Partial<Replayed & Data<'POST /rejected/dismiss'>> & Pick<Replayed, 'next'>;

/**
 * Replays or dismisses part by part, as the server does them; each message is done as a whole or not at all, so it can be
 * stopped at any time and begun again.
 */
async function startBulk(kind: Bulk['kind'], which: Which, of: number): Promise<Bulk> {
  isStopped = false;
  let now: Bulk = {
    ...{
      kind,
      of,
      replayed: 0,
      rejected: 0,
      cut: 0,
      reads: NO_READS,
      dismissed: [],
      isOver: false,
      problem: null,
    },
  };
  bulk.value = now;
  let after: number | null = 0;
  while (after !== null && !isStopped) {
    const part: Part | ApiError = await post<{ data: Part }>(`/rejected/${kind}`, { ...which, after }).then(
      ({ data }) => data,
      asApiError,
    );
    if (part instanceof Error) {
      now = { ...now, problem: part };
      break;
    }
    now = {
      ...now,
      replayed: now.replayed + (part.replayed ?? 0),
      rejected: now.rejected + (part.rejected ?? 0),
      cut: now.cut + (part.cut ?? 0),
      reads: sumOfReads(now.reads, { ...NO_READS, ...part }),
      dismissed: [...now.dismissed, ...(part.ids ?? [])],
    };
    bulk.value = now;
    after = part.next;
  }
  now = { ...now, isOver: true };
  bulk.value = now.problem === null ? null : now;
  return now;
}
