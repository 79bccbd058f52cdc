import { setTimeout as wait } from 'node:timers/promises';

export interface Patience {
  /** Milliseconds that one request waits in all; then it gets the answer that there is. */
  milliseconds: number;
  /** Called before each wait. */
  onWait: (reason: { status: number | null; milliseconds: number; url: string }) => void;
}

/**
 * A `fetch` that asks again: after `Retry-After` where the rate limit or a time limit was met, whatever the method,
 * because what is refused has changed nothing; with growing pauses after a 5xx or a lost connection,
 * where asking twice does no harm.
 */
export function patientFetch({
  milliseconds: patience = 300_000,
  onWait = () => {},
}: Partial<Patience>): (request: Request) => Promise<Response> {
  return async (request) => {
    let left = patience;
    for (let attempt = 0; ; attempt++) {
      const outcome = await attemptOf(request);
      const pause = pauseAfter(request, outcome, attempt);
      if (pause === null || pause > left) {
        if (outcome instanceof Response) {
          return outcome;
        }
        throw outcome.cause;
      }
      left -= pause;
      const status = outcome instanceof Response ? outcome.status : null;
      onWait({ status, milliseconds: pause, url: request.url });
      await wait(pause, undefined, { signal: request.signal });
    }
  };
}

/** No answer, and why. */
interface Lost {
  cause: unknown;
}

async function attemptOf(request: Request): Promise<Response | Lost> {
  try {
    // A copy, because a body can be sent once only.
    return await fetch(request.clone());
  } catch (cause) {
    return { cause };
  }
}

/** Milliseconds to wait before it is asked again; null not to. */
function pauseAfter(request: Request, outcome: Response | Lost, attempt: number): number | null {
  if (request.signal.aborted) {
    return null;
  }
  // Those who share a key are told the same time, and should not all come at once.
  const jitter = Math.random();
  if (outcome instanceof Response && isRefusedForNow(outcome, attempt)) {
    return Number(outcome.headers.get('Retry-After') ?? 1) * 1000 + jitter * 250;
  }
  const isFailure = !(outcome instanceof Response) || outcome.status >= 500;
  const isHarmless = request.method === 'GET' || request.method === 'HEAD' || isUnsent(outcome);
  return isFailure && isHarmless && attempt < MOST_FAILURES ? 500 * 2 ** attempt * (0.5 + jitter) : null;
}

function isUnsent(outcome: Response | Lost): boolean {
  return (
    !(outcome instanceof Response) &&
    outcome.cause instanceof Error &&
    (outcome.cause.cause as { code?: unknown } | undefined)?.code === 'ECONNREFUSED'
  );
}

/** A rate limit is met for as long as it takes; what takes too long does so perhaps every time. */
function isRefusedForNow({ status, headers }: Response, attempt: number): boolean {
  const isTold = (status === 408 || status === 503) && headers.has('Retry-After');
  return status === 429 || (isTold && attempt < MOST_FAILURES);
}

const MOST_FAILURES = 6;
