import type { FieldIssue } from '../../base/checks/issues.ts';
import type { Body } from './body.ts';
import { Problem, type ProblemType, toProblem } from './problem.ts';

export type CheckedBody = { ok: true; checked: unknown } | { ok: false; refusal: Refusal };

interface Refusal {
  type: ProblemType;
  detail: string;
  fields: readonly FieldIssue[] | undefined;
}

export function checkBody(body: Body<unknown>, bytes: Uint8Array): CheckedBody {
  try {
    return { ok: true, checked: body.check(bytes) };
  } catch (error) {
    const { type, message, fields } = toProblem(error);
    if (type === 'internal_error') {
      throw error;
    }
    return { ok: false, refusal: { type, detail: message, fields } };
  }
}

/** @throws Problem if the body is refused. */
export function takeBody<T>(body: Body<T>, outcome: CheckedBody): T {
  if (outcome.ok) {
    return body.taken(outcome.checked);
  }
  const { type, detail, fields } = outcome.refusal;
  throw new Problem(type, detail, fields === undefined ? {} : { fields: [...fields] });
}
