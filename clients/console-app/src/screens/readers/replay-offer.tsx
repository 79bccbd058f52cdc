import { useState } from 'preact/hooks';
import { NO_FORMAT, type Reader } from '../../api/reader.ts';
import { NO_READS, type ReplayedReads, sumOfReads } from '../../api/replayed-reads.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { texts } from '../../texts/texts.ts';

interface Part extends ReplayedReads {
  replayed: number;
  rejected: number;
  cut: number;
  next: number | null;
}

const NOTHING_YET = { replayed: 0, left: 0, reads: NO_READS, isOver: false };

/**
 * What was kept while nothing could be read of it can be read now. It is read once only, and reads of antennas at no place
 * move nothing: so those get their places first.
 */
export function ReplayOffer({
  reader,
  open,
  unplaced,
  onReplayed,
}: {
  reader: Reader;
  open: number;
  /** Ports that the messages name, and that are at no place. */
  unplaced: readonly number[];
  onReplayed: () => void;
}) {
  const t = texts.value.readers;
  const [done, setDone] = useState(NOTHING_YET);
  const { run, isBusy, problem } = useAction();
  const replay = async () => {
    let sum = NOTHING_YET;
    for (let after: number | null | undefined; after !== null; ) {
      const { data }: { data: Part } = await post('/rejected/replay', {
        ...{ all: true, reader_id: reader.id },
        ...(after === undefined ? {} : { after }),
      });
      after = data.next;
      const { replayed, rejected, cut } = data;
      sum = {
        replayed: sum.replayed + replayed,
        left: sum.left + rejected + cut,
        reads: sumOfReads(sum.reads, data),
        isOver: after === null,
      };
      setDone(sum);
    }
    onReplayed();
  };
  if (done.isOver) {
    return <p class="note note-seen">{t.replayedSum(done.replayed, done.left, done.reads)}</p>;
  }
  if (open === 0 || reader.format === NO_FORMAT) {
    return null;
  }
  const isReady = unplaced.length === 0;
  return (
    <div class={isReady ? 'note note-seen' : 'note note-problem'}>
      <p>{isReady ? t.replayOffer(open) : t.replayUnplaced(open, unplaced)}</p>
      {isBusy ? (
        <Progress label={t.replaying} done={done.replayed + done.left} of={open} />
      ) : (
        <button
          type="button"
          class={isReady ? 'primary' : 'secondary small'}
          onClick={() => void run(replay)}
        >
          {isReady ? t.replay : t.replayAnyway}
        </button>
      )}
      {problem !== null && <ProblemNote problem={problem} />}
    </div>
  );
}
