import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { NO_READS, type ReplayedReads, sumOfReads } from '../../api/replayed-reads.ts';
import { post } from '../../api/send.ts';
import type { Data } from '../../api/types.ts';
import { asApiError } from '../../api/use-read.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { toast } from '../../parts/toast.tsx';
import { texts } from '../../texts/texts.ts';

/** Actions on the selected messages, and their progress. */
export function BulkBar({
  ids,
  total,
  narrowing: { q, reader_id: reader },
  onClear,
}: {
  ids: readonly number[];
  /** The number that match, where the whole page is selected. */
  total: number;
  narrowing: { q: string | null; reader_id: string | null };
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

/** Which messages: these, or all open ones that a filter leaves. */
type Which = { ids: readonly number[] } | { all: true; reader_id?: number; q?: string };

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
