import { invalid } from '../../../base/checks/issues.ts';
import { StatementTimedOut } from '../../../base/errors.ts';

/**
 * Runs a report. If a statement runs into its time limit, the caller must narrow the request: a retry would not help.
 *
 * @param field the parameter to change first.
 * @throws Invalid
 */
export async function orNarrower<Result>(
  field: keyof typeof ADVICE,
  report: Promise<Result>,
): Promise<Result> {
  try {
    return await report;
  } catch (error) {
    if (error instanceof StatementTimedOut) {
      throw invalid([{ field, code: 'invalid_value', message: ADVICE[field] }]);
    }
    throw error;
  }
}

const ADVICE = {
  at: 'at takes too long to look back to for so many assets; name assets or locations',
  known_at:
    'known_at takes too long to go back to for so many assets: the report took too long and was cancelled; name assets, or ask for a later known_at',
  from: 'from is too long before to: the report took too long and was cancelled; ask for a narrower window, or name assets or locations',
};
