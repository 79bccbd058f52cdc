import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { findByIndexes } from '../../../domain/tracking/index-plans.ts';
import { observedAt } from '../../../domain/tracking/observed-at.ts';
import type { RecordOptions } from '../../../domain/tracking/record.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { nameAssets, nameLocations } from './names.ts';
import { assetIdOf, type Names, resultView, STATUSES, type Status } from './result.ts';
import { type SettledStep, settle, type TimedStep } from './settle.ts';
import type { Sender, Submission } from './submission.ts';
import { toScan } from './to-scan.ts';
import { type Step, walk } from './walk.ts';

/** What a handheld is answered. */
export interface SubmissionView {
  submission_id: string;
  received_at: string;
  counts: Record<Status, number>;
  results: ReturnType<typeof resultView>[];
}

/**
 * Records the scans of a submission inside the caller's transaction, and says what became of each.
 *
 * @throws Invalid if the submission's own location is none; KnownAfterAll as recordScans does.
 */
export async function takeSubmission(
  client: Client,
  submission: Submission,
  sender: Sender,
  options: RecordOptions,
): Promise<SubmissionView> {
  const { orgId, receivedAt } = sender;
  // Plans are kept as they were first made, so the settings come before look-ups that recordScans makes, too.
  const [, steps] = await Promise.all([findByIndexes(client), walk(client, orgId, submission)]);
  const timed = steps.map((step, index) => timedStep(step, toScan(step, index, submission, sender), options));
  const settled = await settle(client, orgId, timed, options);
  const names = await namesIn(client, orgId, settled);
  const results = settled.map((step) => resultView(step, names));
  return {
    submission_id: submission.id,
    received_at: wireTimeOfMicros(receivedAt),
    counts: countsOf(results),
    results,
  };
}

function timedStep(step: Step, canonical: Scan, { rules, now }: RecordOptions): TimedStep {
  const time = observedAt(canonical, now, rules);
  const at = time.ok ? time.observedAt : (canonical.deviceTime ?? canonical.receivedAt);
  return { ...step, canonical, observedAt: at, isPlaced: time.ok && step.placeId !== null };
}

async function namesIn(client: Client, orgId: number, steps: readonly SettledStep[]): Promise<Names> {
  const locationIds = steps.flatMap(({ placeId, move }) => [placeId, move?.from ?? null]);
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
