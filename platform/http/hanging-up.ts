import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';

/** Status logged for a request whose caller hung up before the answer; never sent. The number is nginx's. */
export const HUNG_UP_STATUS = 499;

class HungUp extends Error {}

/**
 * Aborted when the caller hangs up before the answer. Only interruptible routes use it: a look-up is done
 * sooner.
 */
export function signalOf(response: ServerResponse): AbortSignal {
  const hangingUp = new AbortController();
  const onClose = () => {
    if (!response.writableFinished) {
      hangingUp.abort(new HungUp('the caller hung up'));
    }
  };
  whenClosed(response, onClose);
  return hangingUp.signal;
}

/** Calls it when the answer is over, whichever side ended it. */
export function whenClosed(response: ServerResponse, onClose: () => void): void {
  if (response.closed) {
    onClose();
  } else {
    response.once('close', onClose);
  }
}

export function isHangUp({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ECONNRESET';
}

/** True if thrown because the caller hung up: while waiting for its turn, or by a cancelled query. */
export function isInterrupted(response: ServerResponse, error: unknown): boolean {
  return (
    response.closed && (error instanceof HungUp || (error instanceof AppError && error.code === 'timed_out'))
  );
}
