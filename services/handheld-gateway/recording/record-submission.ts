import type { Clock } from '../../../base/clock.ts';
import { conflict } from '../../../base/errors.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import { announcingMoves } from '../../../domain/tracking/feed/announcing-moves.ts';
import type { TimeRules } from '../../../domain/tracking/observed-at.ts';
import { AlreadyStored, type RecordOptions } from '../../../domain/tracking/record.ts';
import { lockSubmission } from '../../../domain/tracking/retractions/lock-submission.ts';
import { type DatedTransactions, inDatedTransaction } from './dated-transaction.ts';
import { claimSubmission, findSubmission, storeAnswer } from './stored-submissions.ts';
import type { Sender, Submission } from './submission.ts';
import { digestOfSubmission } from './submission-digest.ts';
import { type SubmissionView, takeSubmission } from './take-submission.ts';
import type { SubmissionTurns } from './turns.ts';

export interface Recorded {
  view: SubmissionView;
  /** True if recorded before; the answer is then the original one. */
  isRepeat: boolean;
}

export interface SubmissionRecorder {
  /**
   * Records a submission once, as a whole, and resolves after the commit.
   *
   * @throws AppError `conflict` if its id was used with another body, Invalid for an unknown location, `unavailable` if
   * too many are under way; DatabaseUnavailable and AppError `outcome_unknown` if the database is lost.
   */
  record(submission: Submission, sender: Sender): Promise<Recorded>;
}

export interface RecorderOptions extends DatedTransactions {
  turns: SubmissionTurns;
  clock: Clock;
  rules: TimeRules;
  onRecorded(recorded: Recorded): void;
  /** Called after a commit that told the feed of changes of these organizations. */
  onMoves?(orgIds: readonly number[]): void;
}

export function createRecorder({
  turns,
  clock,
  rules,
  onRecorded,
  onMoves,
  ...transactions
}: RecorderOptions): SubmissionRecorder {
  return {
    record: async (submission, sender) => {
      const recorded = await turns
        .run(sender.orgId, submission.scans.length, () =>
          announcingMoves(
            () => onMoves?.([sender.orgId]),
            (note) =>
              inDatedTransaction(
                transactions,
                async (client, attempt) => {
                  const options = { rules, now: clock(), isCareful: attempt > 1 };
                  return note(await recordOnce(client, submission, sender, options)).recorded;
                },
                (error) => error instanceof AlreadyStored,
              ),
          ),
        )
        .catch((error) => rethrowLost(error));
      onRecorded(recorded);
      return recorded;
    },
  };
}

async function recordOnce(
  client: Client,
  submission: Submission,
  sender: Sender,
  options: RecordOptions,
): Promise<{ recorded: Recorded; unsealed: number }> {
  const { id } = submission;
  const { orgId } = sender;
  const bodyDigest = digestOfSubmission(submission);
  const [, isFirst] = await Promise.all([
    lockSubmission(client, { orgId, submissionId: id }),
    claimSubmission(client, { ...sender, id, bodyDigest }),
  ]);
  if (isFirst) {
    const { view, unsealed } = await takeSubmission(client, submission, sender, options);
    await storeAnswer(client, { orgId, id }, view);
    return { recorded: { view, isRepeat: false }, unsealed };
  }
  const stored = await findSubmission(client, { orgId, id });
  if (!stored.bodyDigest.equals(bodyDigest)) {
    throw conflict(`submission ${id} was received before with another body`);
  }
  return { recorded: { view: JSON.parse(stored.answer), isRepeat: true }, unsealed: 0 };
}
