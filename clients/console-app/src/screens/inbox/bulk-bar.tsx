import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { toast } from '../../parts/toast.tsx';
import { texts } from '../../texts/texts.ts';
import { type Bulk, bulk, doneOf, startBulk, stopBulk, type Which } from './bulk.ts';

/** What can be done with the messages that are selected, and how far that is. */
export function BulkBar({
  ids,
  total,
  narrowing: { q, reader_id: reader },
  onClear,
}: {
  ids: readonly number[];
  /** Of all that match, where all of the page are selected. */
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
