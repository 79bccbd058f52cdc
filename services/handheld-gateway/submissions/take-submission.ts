import type { ClientBase } from 'pg';
import { wireTimeOfMicros } from '../../shared/http/timestamps.ts';
import type { Micros } from '../../shared/instant.ts';
import { observedAt } from '../../shared/tracking/observed-at.ts';
import { lockPositions, type Position } from '../../shared/tracking/positions.ts';
import { type RecordOptions, recordScans } from '../../shared/tracking/record.ts';
import type { Scan } from '../../shared/tracking/scan.ts';
import { followMoves, type Move, type RecordedScan, type Whereabouts } from './moves.ts';
import { nameAssets, nameLocations } from './names.ts';
import { resultView, type Settled, STATUSES, type Status } from './result.ts';
import type { Sender, Submission } from './submission.ts';
import { toScans } from './to-scans.ts';
import { type Step, walk } from './walk.ts';

/** What a handheld is answered. */
export interface SubmissionView {
  submission_id: string;
  received_at: string;
  counts: Record<Status, number>;
  results: ReturnType<typeof resultView>[];
}

/** A step with its canonical scan. */
interface Walked extends Step {
  canonical: Scan;
  observedAt: Micros;
  /** Whether the scan can become one of its asset. */
  isPlaced: boolean;
}

/**
 * Records the scans of a submission inside the caller's transaction, and says what became of each.
 *
 * @throws Problem `validation_error` if the submission's own location is none; KnownAfterAll as recordScans does.
 */
export async function takeSubmission(
  client: ClientBase,
  submission: Submission,
  sender: Sender,
  options: RecordOptions,
): Promise<SubmissionView> {
  const { orgId, receivedAt } = sender;
  const steps = await walk(client, orgId, submission);
  const canonical = toScans(steps, submission, sender);
  const walked = steps.map((step, index) => timed(step, canonical[index] as Scan, options));
  // What they were before tells what moved; locked here, so that nobody moves them in between.
  const positions = await lockPositions(client, placedAssets(orgId, walked));
  const settled = await record(client, walked, positions, options);
  const names = {
    assets: await nameAssets(client, orgId, settled.flatMap(assetIdOf)),
    locations: await nameLocations(
      client,
      orgId,
      settled.flatMap(({ placeId, move }) => [placeId, move?.from ?? null]).filter((id) => id !== null),
    ),
  };
  const results = settled.map((each) => resultView(each, names));
  return {
    submission_id: submission.id,
    received_at: wireTimeOfMicros(receivedAt),
    counts: countsOf(results),
    results,
  };
}

function timed(step: Step, canonical: Scan, { rules, now }: RecordOptions): Walked {
  const time = observedAt(canonical, now, rules);
  const at = time.ok ? time.observedAt : (canonical.deviceTime ?? canonical.receivedAt);
  const isPlaced = time.ok && step.placeId !== null && !step.setsPlace;
  return { ...step, canonical, observedAt: at, isPlaced };
}

function placedAssets(orgId: number, walked: readonly Walked[]) {
  return walked.flatMap(({ assetId, isPlaced }) =>
    assetId === null || !isPlaced ? [] : [{ orgId, assetId }],
  );
}

async function record(
  client: ClientBase,
  walked: readonly Walked[],
  positions: readonly Position[],
  options: RecordOptions,
): Promise<Settled[]> {
  const toRecord = walked.filter(({ setsPlace }) => !setsPlace);
  const outcomes = await recordScans(
    client,
    toRecord.map(({ canonical }) => canonical),
    options,
  );
  const outcomeOf = new Map(toRecord.map((each, index) => [each, outcomes[index] ?? null]));
  const recorded = toRecord.flatMap((each) => {
    const outcome = outcomeOf.get(each);
    const { placeId, scan } = each;
    return outcome?.status !== 'recorded' || placeId === null
      ? []
      : [
          {
            each,
            scan: {
              assetId: outcome.assetId,
              locationId: placeId,
              observedAt: outcome.observedAt,
              rssi: scan.rssi,
            },
          },
        ];
  });
  const moves = await movesOf(
    client,
    recorded.map(({ scan }) => scan),
    positions,
  );
  const moveOf = new Map(recorded.map(({ each }, index) => [each, moves[index] ?? null]));
  return walked.map((each) => ({
    ...each,
    outcome: outcomeOf.get(each) ?? null,
    move: moveOf.get(each) ?? null,
  }));
}

async function movesOf(
  client: ClientBase,
  scans: readonly RecordedScan[],
  positions: readonly Position[],
): Promise<Move[]> {
  const before = new Map<number, Whereabouts>(
    positions.map(({ assetId, stay, lastSeen }) => [
      assetId,
      { locationId: stay?.locationId ?? null, seenAt: lastSeen, rssi: undefined },
    ]),
  );
  const orgId = positions[0]?.orgId ?? 0;
  const tied = scans.filter(({ assetId, observedAt: at }) => before.get(assetId)?.seenAt === at);
  const after = await lockPositions(
    client,
    tied.map(({ assetId }) => ({ orgId, assetId })),
  );
  const placeAfter = after.map(
    ({ assetId, stay }) => [assetId, { locationId: stay?.locationId ?? null }] as const,
  );
  return followMoves(scans, before, new Map(placeAfter));
}

function assetIdOf({ outcome, assetId }: Settled): number[] {
  const id = outcome !== null && 'assetId' in outcome ? outcome.assetId : assetId;
  return id === null ? [] : [id];
}

function countsOf(results: readonly { status: Status }[]): Record<Status, number> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status } of results) {
    counts[status] += 1;
  }
  return counts;
}
