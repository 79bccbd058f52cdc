import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { COMMENT, eventText } from '../../../platform/http/event-stream.ts';
import { toProblem } from '../../../platform/http/problem.ts';
import type { TrialProgress } from '../serving/trial-thread.ts';

/** Milliseconds of silence after which a comment is sent. */
const SILENCE = 5_000;

/**
 * A trial as events: `progress` as often as they are read, and at its end `result` or `problem`.
 *
 * @param run begins it.
 */
export async function* trialEvents(
  run: (onProgress: (progress: TrialProgress) => void) => Promise<object>,
): AsyncGenerator<string, void> {
  let id = 0;
  let newest: TrialProgress | null = null;
  let wake = Promise.withResolvers<void>();
  const ending = run((progress) => {
    newest = progress;
    wake.resolve();
  }).then(
    (result) => ({ event: 'result', data: result }),
    (error: unknown) => {
      const { type, message } = toProblem(error);
      return { event: 'problem', data: { type, detail: message } };
    },
  );
  for (;;) {
    const silence = Promise.withResolvers<void>();
    const timer = setTimeout(silence.resolve, SILENCE);
    const end = await Promise.race([ending, wake.promise, silence.promise]);
    clearTimeout(timer);
    if (end !== undefined) {
      yield eventText({ id, ...end });
      return;
    }
    if (newest === null) {
      yield COMMENT;
    } else {
      const { assets, of, until }: TrialProgress = newest;
      newest = null;
      wake = Promise.withResolvers();
      id += 1;
      yield eventText({ id, event: 'progress', data: { assets, of, until: wireTimeOfMicros(until) } });
    }
  }
}
