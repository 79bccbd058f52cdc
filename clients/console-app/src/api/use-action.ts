import { useState } from 'preact/hooks';
import type { ApiError } from './api-error.ts';
import { asApiError } from './use-read.ts';

export interface Action {
  /** True if it was done; what was refused is in `problem`. A second click while it runs does nothing. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
  isBusy: boolean;
  problem: ApiError | null;
  clear: () => void;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  return {
    isBusy,
    problem,
    clear: () => setProblem(null),
    run: async (work) => {
      if (isBusy) {
        return false;
      }
      setBusy(true);
      setProblem(null);
      try {
        await work();
        return true;
      } catch (error) {
        setProblem(asApiError(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
