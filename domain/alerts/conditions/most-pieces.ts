import { TooMuchWork } from '../../../base/errors.ts';

/** The most rows of one kind of evidence to read for assets looked at together. */
export const MOST_PIECES = 200_000;

/** @throws TooMuchWork */
export function boundPieces(count: number): void {
  if (count > MOST_PIECES) {
    throw new TooMuchWork(
      `more than ${MOST_PIECES} pieces of evidence; look at fewer assets, or a shorter time`,
    );
  }
}
