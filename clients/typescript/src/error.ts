import type { components } from './paths.ts';

export type Problem = components['schemas']['Error']['error'];

/** A refusal of the API. */
export class TagtrailError extends Error {
  override readonly name: string = 'TagtrailError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.type}: ${problem.detail} (request ${problem.request_id})`);
    this.problem = problem;
  }
}

/** Events after the position are gone: read everything again, and follow from the head that was read before. */
export class FeedExpiredError extends TagtrailError {
  override readonly name = 'FeedExpiredError';
  /** The first position that is kept. */
  readonly oldest: number;
  /** The last position there is. */
  readonly head: number;

  constructor(problem: Problem) {
    super(problem);
    this.oldest = Number(problem.params?.['oldest']);
    this.head = Number(problem.params?.['head']);
  }
}

export function errorOf(problem: Problem): TagtrailError {
  return problem.type === 'feed_expired' ? new FeedExpiredError(problem) : new TagtrailError(problem);
}
