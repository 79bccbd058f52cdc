import type { components } from './paths.ts';

/** What the API says of a refusal. Branch on `type`; `detail` is for people. */
export type Problem = components['schemas']['Error']['error'];

/** A refusal of the API. */
export class TagtrailError extends Error {
  override readonly name = 'TagtrailError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.type}: ${problem.detail} (request ${problem.request_id})`);
    this.problem = problem;
  }
}
