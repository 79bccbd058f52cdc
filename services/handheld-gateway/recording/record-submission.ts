import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { conflict } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { withoutTokens } from '../../../base/scanned-text.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import { findByIndexes } from '../../../db/timescale/connections/transaction.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { announcingMoves } from '../../../domain/tracking/feed/unsealed-move.ts';
import { observedAt, type TimeRules } from '../../../domain/tracking/observed-at.ts';
import { AlreadyStored, type RecordOptions, recordScans } from '../../../domain/tracking/record.ts';
import {
  countTakenBack,
  lockSubmission,
  waitingRetractions,
} from '../../../domain/tracking/retractions/find-submission.ts';
import { isRadioStrength } from '../../../domain/tracking/rssi.ts';
import type { Outcome, Scan } from '../../../domain/tracking/scan.ts';
import { partsOfLocation } from '../wire/fields.ts';
import type { Reference } from '../wire/reference.ts';
import { byOurClock, type DatedTransactions, inDatedTransaction } from './dated-transaction.ts';
import type { Sender, Submission } from './submission.ts';
import type { SubmissionTurns } from './turns.ts';
import { type Step, walk } from './walk.ts';

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

interface RecorderOptions extends DatedTransactions {
  turns: SubmissionTurns;
  clock: Clock;
  rules: TimeRules;
  onRecorded(recorded: Recorded): void;
  /** Called after a commit that changed the feeds of these organizations. */
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

interface SubmissionView {
  submission_id: string;
  received_at: string;
  counts: Record<Status, number>;
  results: ReturnType<typeof resultView>[];
}

/**
 * Records the scans of a submission inside the caller's transaction and reports their results.
 *
 * @throws Invalid for an unknown location; AlreadyStored as recordScans does.
 */
export async function takeSubmission(
  client: Client,
  submission: Submission,
  sender: Sender,
  options: RecordOptions,
): Promise<{ view: SubmissionView; unsealed: number }> {
  const { orgId, receivedAt } = sender;
  // Plans are cached, so the planner settings must precede the look-ups.
  const [, { steps, lookedUp }, retracted] = await Promise.all([
    findByIndexes(client),
    walk(client, orgId, submission),
    waitingRetractions(client, { ...sender, submissionId: submission.id }),
  ]);
  const scans = steps.map((step, index) => toScan(step, index, submission, sender, retracted.get(index)));
  const { outcomes, unsealed } = await recordScans(
    client,
    scans.filter((_, index) => steps[index]?.setsLocation === false),
    options,
    lookedUp,
  );
  const inTurn = outcomes.values();
  const recorded = steps.map((step, index) => ({
    ...step,
    observedAt: whenObserved(scans[index] as Scan, options),
    outcome: step.setsLocation ? null : (inTurn.next().value ?? null),
  }));
  const [names] = await Promise.all([
    namesIn(client, orgId, recorded),
    countTakenBack(
      client,
      orgId,
      recorded.flatMap(({ outcome }, index) =>
        outcome?.status === 'recorded' ? (retracted.get(index) ?? []) : [],
      ),
    ),
  ]);
  const results = recorded.map((step) => resultView(step, names));
  const view = {
    submission_id: submission.id,
    received_at: wireTimeOfMicros(receivedAt),
    counts: countsOf(results),
    results,
  };
  return { view, unsealed };
}

/** The device's time if the scan was too late to be recorded. */
function whenObserved(scan: Scan, { rules, now }: RecordOptions): Micros {
  const time = observedAt(scan, now, rules);
  return time.ok ? time.observedAt : (scan.deviceTime ?? scan.receivedAt);
}

async function namesIn(client: Client, orgId: number, steps: readonly RecordedStep[]): Promise<Names> {
  const locationIds = steps.flatMap((step) => [step.locationId, cameFrom(step)]);
  const [assets, locations] = await Promise.all([
    nameAssets(client, orgId, steps.map(assetIdOf)),
    nameLocations(client, orgId, locationIds),
  ]);
  return { assets, locations };
}

function countsOf(results: readonly { status: Status }[]): Record<Status, number> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status } of results) {
    counts[status] += 1;
  }
  return counts;
}

const nameAssets = naming(
  (orgId, ids) => sql.prepared('name-assets', rowsOf<Reference>())`
    select id, external_key, name from assets
    where org_id = ${orgId}::integer and id = any(${sql.binary(integers(ids))}::integer[])`,
);

/** Includes deleted ones, from which an asset may have come. */
const nameLocations = naming(
  (orgId, ids) => sql.prepared('name-locations', rowsOf<Reference>())`
    select id, external_key, name from locations
    where org_id = ${orgId}::integer and id = any(${sql.binary(integers(ids))}::integer[])`,
);

function naming(queryOf: (orgId: number, ids: readonly number[]) => RowQuery<Reference>) {
  return async (
    db: Connection,
    orgId: number,
    ids: Iterable<number | null>,
  ): Promise<ReadonlyMap<number, Reference>> => {
    const distinct = [...new Set(ids)].filter((id) => id !== null);
    const rows = distinct.length === 0 ? [] : await db.any(queryOf(orgId, distinct));
    return new Map(rows.map((row) => [row.id, row]));
  };
}

/**
 * Turns a step of a walk into a canonical scan.
 *
 * @param index position in the submission.
 * @param retractionId the retraction that has taken it back already, if any.
 */
function toScan(
  { scan, locationId }: Step,
  index: number,
  { id: submissionId, sentAt }: Submission,
  { orgId, handheldId, receivedAt }: Sender,
  retractionId: string | undefined,
): Scan {
  return {
    orgId,
    tagType: scan.tagType,
    value: scan.value,
    locationId,
    deviceTime: byOurClock(scan.observedAt, { sentAt, receivedAt }),
    receivedAt,
    rssi: scan.rssi !== null && isRadioStrength(scan.rssi) ? scan.rssi : null,
    source: {
      kind: 'handheld',
      handheldId,
      submissionId,
      index,
      ...(retractionId === undefined ? {} : { retractionId }),
    },
  };
}

export const STATUSES = [
  'moved',
  'seen',
  'location',
  'unknown',
  'ambiguous',
  'no_location',
  'duplicate',
  'too_late',
  'unusable',
] as const;

type Status = (typeof STATUSES)[number];

interface RecordedStep extends Step {
  observedAt: Micros;
  /** Null for a location's tag, which is no scan of an asset. */
  outcome: Outcome | null;
}

interface Names {
  assets: ReadonlyMap<number, Reference>;
  locations: ReadonlyMap<number, Reference>;
}

function resultView(step: RecordedStep, { assets, locations }: Names) {
  const { scan, locationId, observedAt } = step;
  return {
    status: statusOf(step),
    tag_type: scan.tagType,
    // The answer is stored.
    value: withoutTokens(scan.value),
    observed_at: wireTimeOfMicros(observedAt),
    asset: referenceTo(assetIdOf(step), assets),
    location: referenceTo(locationId, locations),
    from: referenceTo(cameFrom(step), locations),
  };
}

function assetIdOf({ outcome, assetId }: RecordedStep): number | null {
  return outcome !== null && 'assetId' in outcome ? outcome.assetId : assetId;
}

function cameFrom({ outcome }: RecordedStep): number | null {
  return outcome?.status === 'recorded' ? (outcome.move?.from ?? null) : null;
}

function statusOf({ outcome }: RecordedStep): Status {
  if (outcome === null) {
    return 'location';
  }
  switch (outcome.status) {
    case 'recorded':
      return outcome.move === null ? 'seen' : 'moved';
    case 'unplaced':
      return 'no_location';
    case 'rejected':
      return outcome.cause === 'secret' ? 'unusable' : 'too_late';
    default:
      return outcome.status;
  }
}

function referenceTo(id: number | null, names: ReadonlyMap<number, Reference>): Reference | null {
  return id === null ? null : (names.get(id) ?? null);
}
