import type { Clock } from '../../../base/clock.ts';
import type { Micros } from '../../../base/instant.ts';
import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import type { HandheldActor } from '../../../domain/changes/actor.ts';
import { announcingMoves } from '../../../domain/tracking/feed/unsealed-move.ts';
import type { TimeRules } from '../../../domain/tracking/observed-at.ts';
import { retract } from '../../../domain/tracking/retractions/retract.ts';
import type { Retracted } from '../../../domain/tracking/retractions/retraction.ts';
import { type DatedTransactions, inDatedTransaction } from './dated-transaction.ts';
import type { Sender } from './submission.ts';
import type { SubmissionTurns } from './turns.ts';

export interface SentRetraction {
  id: string;
  submissionId: string;
  indexes: number[];
}

export interface Retractor {
  /**
   * Takes scans back once, as a whole, and resolves after the commit.
   *
   * @throws as the domain's `retract`; AppError `unavailable` if too many submissions are under way;
   * DatabaseUnavailable and AppError `outcome_unknown` if the database is lost.
   */
  retract(sent: SentRetraction, sender: Sender & { requestId: string }): Promise<Retracted>;
}

export interface RetractorOptions extends DatedTransactions {
  clock: Clock;
  rules: TimeRules;
  turns: SubmissionTurns;
  onRetracted(retracted: Retracted): void;
  /** Called after a commit that changed the feeds of these organizations. */
  onMoves?(orgIds: readonly number[]): void;
}

export function createRetractor({
  clock,
  rules,
  turns,
  onRetracted,
  onMoves,
  ...transactions
}: RetractorOptions): Retractor {
  return {
    retract: async (sent, { orgId, handheldId, receivedAt, requestId }) => {
      const by: HandheldActor = { type: 'handheld', id: String(handheldId), requestId };
      const retraction = { ...sent, orgId, ofHandheld: handheldId, by, receivedAt };
      const options = () => ({ now: clock() as Micros, retention: rules.retention });
      const retracted = await turns
        .run(orgId, sent.indexes.length, () =>
          announcingMoves(
            () => onMoves?.([orgId]),
            (note) =>
              inDatedTransaction(transactions, async (client) =>
                note(await retract(client, retraction, options())),
              ),
          ),
        )
        .catch((error) => rethrowLost(error));
      onRetracted(retracted);
      return retracted;
    },
  };
}
