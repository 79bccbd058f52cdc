import { useRef, useState } from 'preact/hooks';
import type { ApiError } from './api-error.ts';
import { asApiError } from './use-read.ts';

export interface Action {
  /** True if it succeeded; a refusal is in `problem`. A second click while it runs does nothing. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
  isBusy: boolean;
  problem: ApiError | null;
  clear: () => void;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  // The state is a rendering late: a second click can come before it.
  const isRunning = useRef(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  return {
    isBusy,
    problem,
    clear: () => setProblem(null),
    run: async (work) => {
      if (isRunning.current) {
        return false;
      }
      isRunning.current = true;
      setBusy(true);
      setProblem(null);
      try {
        await work();
        return true;
      } catch (error) {
        setProblem(asApiError(error));
        return false;
      } finally {
        isRunning.current = false;
        setBusy(false);
      }
    },
  };
}

const DONE_ONCE = 'button:is([type=submit], .primary, .danger)';

/** Some people double-click everything: the second click on a button that writes comes too late to be refused as busy. */
export function ignoreSecondClicks(): void {
  window.addEventListener(
    'click',
    (event) => {
      if (event.detail > 1 && event.target instanceof Element && event.target.closest(DONE_ONCE) !== null) {
        event.preventDefault();
        event.stopPropagation();
      }
    },
    { capture: true },
  );
}
