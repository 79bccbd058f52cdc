import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { answerOf } from '../../api/send.ts';
import type { TrialResult } from '../../api/types.ts';
import { asApiError } from '../../api/use-read.ts';
import { settingOf, timeOf, type Wanted } from './wanted.ts';

export interface TrialState {
  isRunning: boolean;
  progress: { assets: number; of: number } | null;
  result: TrialResult | null;
  problem: ApiError | null;
}

const NOTHING: TrialState = { isRunning: false, progress: null, result: null, problem: null };

/** Runs the wanted trial, and again whenever it changes. `stop`, or another trial, cancels it. */
export function useTrial(wanted: Wanted | null): TrialState & { stop: () => void; again: () => void } {
  const [state, setState] = useState<TrialState>(NOTHING);
  const [count, setCount] = useState(0);
  const stopping = useRef<AbortController | null>(null);
  const key = JSON.stringify([wanted, count]);
  useEffect(() => {
    if (wanted === null) {
      setState(NOTHING);
      return undefined;
    }
    const stop = new AbortController();
    stopping.current = stop;
    setState({ ...NOTHING, isRunning: true });
    run(wanted, stop.signal, (more) => setState((before) => ({ ...before, ...more }))).catch(
      (problem: unknown) => {
        if (!stop.signal.aborted) {
          setState({ ...NOTHING, problem: asApiError(problem) });
        }
      },
    );
    return () => stop.abort();
  }, [key]);
  return {
    ...state,
    stop: () => {
      stopping.current?.abort();
      setState(NOTHING);
    },
    again: () => setCount((before) => before + 1),
  };
}

async function run(
  wanted: Wanted,
  signal: AbortSignal,
  tell: (more: Partial<TrialState>) => void,
): Promise<void> {
  const body = {
    ...settingOf(wanted),
    asset_external_key: wanted.asset,
    ...{ from: timeOf(wanted.from), to: timeOf(wanted.to) },
  };
  for await (const { event, data } of readEvents(
    await answerOf('POST', '/locating/trials', { body, signal }),
  )) {
    if (event === 'progress') {
      tell({ progress: data as TrialState['progress'] });
    } else if (event === 'result') {
      tell({ isRunning: false, result: data as TrialResult });
      return;
    } else {
      const { type, detail } = data as { type: string; detail: string };
      throw new ApiError(500, type, detail);
    }
  }
  throw new ApiError(0, 'offline', 'the answer broke off');
}

interface SentEvent {
  event: string;
  data: unknown;
}

/**
 * The server-sent events of an answer, up to its end, for requests that `EventSource` cannot make.
 *
 * @throws ApiError `offline` if it breaks off.
 */
async function* readEvents(response: Response): AsyncGenerator<SentEvent, void> {
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read().catch((error: unknown) => {
      throw new ApiError(0, 'offline', String(error));
    });
    if (piece === undefined || piece.done) {
      return;
    }
    const blocks = (text + piece.value).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (event !== undefined && data !== undefined) {
        yield { event, data: JSON.parse(data) };
      }
    }
  }
}
