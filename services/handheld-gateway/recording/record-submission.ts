import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { conflict } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { announcingMoves } from '../../../domain/tracking/feed/unsealed-move.ts';
import type { TimeRules } from '../../../domain/tracking/observed-at.ts';
import { AlreadyStored, type RecordOptions } from '../../../domain/tracking/record.ts';
import { lockSubmission } from '../../../domain/tracking/retractions/find-submission.ts';
import { partsOfLocation } from '../wire/named-location.ts';
import { type DatedTransactions, inDatedTransaction } from './dated-transaction.ts';
import type { Sender, Submission } from './submission.ts';
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

interface StoredSubmission {
  bodyDigest: Buffer;
  answer: string;
}

interface SubmissionClaim {
  orgId: number;
  id: string;
  handheldId: number;
  bodyDigest: Buffer;
  receivedAt: Micros;
}

/**
 * Claims a submission's id for this transaction, waiting for another transaction that has claimed it.
 *
 * @returns false if it was recorded before.
 */
async function claimSubmission(db: Connection, claim: SubmissionClaim): Promise<boolean> {
  const { orgId, id, handheldId, bodyDigest, receivedAt } = claim;
  const claimed = await db.exec(sql.prepared('claim-submission', NO_ROWS)`
    insert into submissions (org_id, id, handheld_id, body_sha256, received_at, answer)
    values (${orgId}::integer, ${id}::text, ${handheldId}::integer, ${sql.binary(bodyDigest)}::bytea,
      time_of_micros(${receivedAt}::bigint), '{}')
    on conflict (org_id, id) do nothing`);
  return claimed === 1;
}

/** @throws RangeError if there is none. */
async function findSubmission(
  db: Connection,
  { orgId, id }: { orgId: number; id: string },
): Promise<StoredSubmission> {
  const row = await db.one(sql.prepared('find-submission', rowsOf<{ body_sha256: Buffer; answer: string }>())`
    select body_sha256, answer from submissions where org_id = ${orgId}::integer and id = ${id}::text`);
  return { bodyDigest: row.body_sha256, answer: row.answer };
}

async function storeAnswer(
  db: Connection,
  { orgId, id }: { orgId: number; id: string },
  answer: object,
): Promise<void> {
  await db.exec(sql.prepared('store-answer', NO_ROWS)`
    update submissions set answer = ${JSON.stringify(answer)}::json
    where org_id = ${orgId}::integer and id = ${id}::text`);
}

/**
 * Equal for submissions with the same content, apart from the time of sending. Computed from parsed values,
 * so that the order of keys and the notation of times and numbers do not matter.
 */
function digestOfSubmission({ id, location, scans }: Submission): Buffer {
  const said = [
    id,
    location === null ? null : partsOfLocation(location),
    // Added only where true, so that digests of submissions without it stay what they were.
    scans.map(({ tagType, value, observedAt, rssi, guessed }) => [
      ...[tagType, value, observedAt, rssi],
      ...(guessed ? [guessed] : []),
    ]),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest();
}
