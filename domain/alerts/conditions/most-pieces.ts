import { TooMuchWork } from '../../../base/errors.ts';

/** Rows of one kind of evidence that are read for assets looked at together, at most. */
export const MOST_PIECES = 200_000;

/** @throws TooMuchWork */
export function boundPieces(count: number): void {
  if (count > MOST_PIECES) {
    throw new TooMuchWork(
      `more than ${MOST_PIECES} pieces of evidence; look at fewer assets, or a shorter time`,
    );
  }
}
