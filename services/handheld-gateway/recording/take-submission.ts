import type { Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { findByIndexes } from '../../../domain/tracking/index-plans.ts';
import { observedAt } from '../../../domain/tracking/observed-at.ts';
import { type RecordOptions, recordScans } from '../../../domain/tracking/record.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { nameAssets, nameLocations } from './names.ts';
import {
  assetIdOf,
  cameFrom,
  type Names,
  type RecordedStep,
  resultView,
  STATUSES,
  type Status,
} from './result.ts';
import type { Sender, Submission } from './submission.ts';
import { toScan } from './to-scan.ts';
import { walk } from './walk.ts';

/** The answer to a handheld. */
export interface SubmissionView {
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
): Promise<SubmissionView> {
  const { orgId, receivedAt } = sender;
  // Plans are kept as they were first made, so the settings come before the look-ups.
  const [, { steps, lookedUp }] = await Promise.all([findByIndexes(client), walk(client, orgId, submission)]);
  const scans = steps.map((step, index) => toScan(step, index, submission, sender));
  const outcomes = (
    await recordScans(
      client,
      scans.filter((_, index) => steps[index]?.setsLocation === false),
      options,
      lookedUp,
    )
  ).values();
  const recorded = steps.map((step, index) => ({
    ...step,
    observedAt: whenObserved(scans[index] as Scan, options),
    outcome: step.setsLocation ? null : (outcomes.next().value ?? null),
  }));
  const names = await namesIn(client, orgId, recorded);
  const results = recorded.map((step) => resultView(step, names));
  return {
    submission_id: submission.id,
    received_at: wireTimeOfMicros(receivedAt),
    counts: countsOf(results),
    results,
  };
}

/** By the device's clock if it was too late to be recorded. */
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
