import { useEffect, useRef, useState } from 'preact/hooks';
import { type Action, useAction } from '../api/use-action.ts';
import { noteAtEnd } from '../api/writes.ts';
import { texts } from '../texts/texts.ts';
import { ProblemNote } from './problem-note.tsx';
import { Progress } from './progress.tsx';

/** Work on many things, one after another, so that it can be stopped; what is done then stays done. */
export interface OneByOne extends Pick<Action, 'isBusy' | 'problem'> {
  done: number;
  stop: () => void;
  /** @returns how many are done, and whether all are. */
  run: (
    ids: Iterable<number | string> | AsyncIterable<number | string>,
    work: (id: number | string) => Promise<unknown>,
  ) => Promise<Outcome>;
}

interface Outcome {
  done: number;
  isWhole: boolean;
}

export function useOneByOne(): OneByOne {
  const [done, setDone] = useState(0);
  const { run, isBusy, problem } = useAction();
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
  };
  useEffect(() => stop, []);
  return {
    ...{ done, isBusy, problem, stop },
    run: async (ids, work) => {
      isStopped.current = false;
      setDone(0);
      let count = 0;
      const workOnAll = async () => {
        for await (const id of ids) {
          if (isStopped.current) {
            return;
          }
          await work(id);
          count += 1;
          setDone(count);
        }
      };
      const isEnded = await run(() => noteAtEnd(workOnAll));
      return { done: count, isWhole: isEnded && !isStopped.current };
    },
  };
}

/** How far it is, with a button to stop it; and why it ended. */
export function OneByOneBar({
  of,
  label,
  work: { done, isBusy, problem, stop },
}: {
  of: number;
  label: (done: number) => string;
  work: OneByOne;
}) {
  return (
    <>
      {isBusy && (
        <>
          <Progress label={label(done)} done={done} of={of} />
          <button type="button" class="secondary small" onClick={stop}>
            {texts.value.common.stop}
          </button>
        </>
      )}
      {problem !== null && <ProblemNote problem={problem} />}
    </>
  );
}
