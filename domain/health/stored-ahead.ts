import { TAGTRAIL } from '../../base/typed-command.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { sayStoredAhead } from '../tracking/mend-clock/stored-ahead.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Checks whether a clock that was ahead has left times that are still to come, before which no later read counts. */
export async function examineStoredAhead(db: Connection): Promise<Finding> {
  const found = await sayStoredAhead(db);
  return found === null
    ? ok('recorded times', 'No record is dated later than now')
    : fault(
        'recorded times',
        `A clock was ahead: ${found}`,
        `${TAGTRAIL} clock mend says how far; with --by and --confirm it corrects the times`,
      );
}
