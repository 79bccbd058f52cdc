import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import { type DatedTransactions, inDatedTransaction } from './dated-transaction.ts';
import type { Sender } from './submission.ts';
import { type RecordedSweep, type SentSweep, takeSweep } from './take-sweep.ts';
import type { SubmissionTurns } from './turns.ts';

export interface SweepRecorder {
  /**
   * Records a sweep once, as a whole, and resolves after the commit.
   *
   * @throws as takeSweep does; AppError `unavailable` if too many are under way; DatabaseUnavailable and AppError
   * `outcome_unknown` if the database is lost.
   */
  record(sweep: SentSweep, sender: Sender): Promise<RecordedSweep>;
}

/** @param turns shared with submissions: both come from the same handhelds, through the same connections. */
export function createSweepRecorder({
  turns,
  onRecorded,
  ...transactions
}: DatedTransactions & {
  turns: SubmissionTurns;
  onRecorded(recorded: RecordedSweep): void;
}): SweepRecorder {
  return {
    record: async (sweep, sender) => {
      const recorded = await turns
        .run(sender.orgId, inScans(sweep), () =>
          inDatedTransaction(transactions, (client) => takeSweep(client, sweep, sender)),
        )
        .catch((error) => rethrowLost(error));
      onRecorded(recorded);
      return recorded;
    },
  };
}

function inScans({ expected, found, movedHere, missing, unknown }: SentSweep): number {
  const members = [expected, found, movedHere, missing, unknown].reduce((sum, list) => sum + list.length, 0);
  return members / MEMBERS_PER_SCAN;
}

const MEMBERS_PER_SCAN = 5;
