import type { Clock } from '../../../base/clock.ts';
import { conflict } from '../../../base/errors.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { TimeRules } from '../../../domain/tracking/observed-at.ts';
import { AlreadyStored, type RecordOptions } from '../../../domain/tracking/record.ts';
import { digestOf } from './digest.ts';
import { claimSubmission, findSubmission, storeAnswer } from './stored-submissions.ts';
import type { Sender, Submission } from './submission.ts';
import { type SubmissionView, takeSubmission } from './take-submission.ts';
import { SubmissionTurns } from './turns.ts';

export interface Recorded {
  view: SubmissionView;
  /** Whether it was recorded before; then the answer is the original one. */
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

export interface RecorderOptions {
  pool: Pool;
  clock: Clock;
  rules: TimeRules;
  /** Called for every answered submission. */
  onRecorded(recorded: Recorded): void;
}

export function createRecorder({ pool, clock, rules, onRecorded }: RecorderOptions): SubmissionRecorder {
  const turns = new SubmissionTurns();
  return {
    record: async (submission, sender) => {
      const recorded = await turns
        .run(sender.orgId, submission.scans.length, () =>
          inTransaction(
            pool,
            (client, attempt) =>
              recordOnce(client, submission, sender, { rules, now: clock(), isCareful: attempt > 1 }),
            (error) => error instanceof AlreadyStored,
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
): Promise<Recorded> {
  const { id } = submission;
  const { orgId } = sender;
  const bodyDigest = digestOf(submission);
  if (await claimSubmission(client, { ...sender, id, bodyDigest })) {
    const view = await takeSubmission(client, submission, sender, options);
    await storeAnswer(client, { orgId, id }, view);
    return { view, isRepeat: false };
  }
  const stored = await findSubmission(client, { orgId, id });
  if (!stored.bodyDigest.equals(bodyDigest)) {
    throw conflict(`submission ${id} was received before with another body`);
  }
  return { view: JSON.parse(stored.answer), isRepeat: true };
}
