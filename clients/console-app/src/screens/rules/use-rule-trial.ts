import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import type { RuleTrial } from '../../api/rule-trial.ts';
import { answerOf } from '../../api/send.ts';
import { asApiError } from '../../api/use-read.ts';
import type { RuleDraft } from './rule-draft.ts';
import { inFormWords } from './rule-faults.ts';

interface TrialState {
  isRunning: boolean;
  result: RuleTrial | null;
  problem: ApiError | null;
}

const NOTHING: TrialState = { isRunning: false, result: null, problem: null };

/** Tries a rule when it is told to; what was begun before is broken off, as by `stop` and by leaving the page. */
export function useRuleTrial() {
  const [state, setState] = useState(NOTHING);
  const running = useRef<AbortController | null>(null);
  const stop = () => {
    running.current?.abort();
    setState(NOTHING);
  };
  useEffect(() => () => running.current?.abort(), []);
  const run = async (draft: RuleDraft, path: string, body: object) => {
    running.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setState({ ...NOTHING, isRunning: true });
    try {
      const answer = await inFormWords(draft, answerOf('POST', path, { body, signal }));
      const { data } = (await answer.json()) as { data: RuleTrial };
      setState({ ...NOTHING, result: data });
    } catch (problem) {
      if (!signal.aborted) {
        setState({ ...NOTHING, problem: asApiError(problem) });
      }
    }
  };
  return { ...state, run, stop };
}
