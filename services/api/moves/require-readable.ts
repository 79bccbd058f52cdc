import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import type { FeedPage } from '../../../domain/moves/read-moves.ts';
import { Problem } from '../../../platform/http/problem.ts';

/** @throws Invalid beyond the head; Problem `feed_expired` for a position older than what is kept. */
export function requireReadable(after: number, { head, oldest }: Omit<FeedPage, 'events'>): void {
  if (after > head) {
    throw invalid([invalidValue('after', `must be at most ${head}, the head of the feed`, { max: head })]);
  }
  if (after < oldest - 1) {
    throw new Problem(
      'feed_expired',
      `Events after position ${after} are not kept any more; the oldest is ${oldest}, the head ${head}. Begin anew: read the report and the histories, then follow from the head`,
      { params: { oldest, head } },
    );
  }
}
