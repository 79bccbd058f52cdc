import { AppError } from '../../../base/errors.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { wakingSealer } from '../../../domain/moves/wake-sealer.ts';
import {
  type RecomputedSoFar,
  type Recomputing,
  recomputeOrganization,
} from '../../../domain/tracking/recompute/recompute-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { showProgress } from '../running/running.ts';

/** Decides histories again from the raw scans, and shows the progress. Ctrl-C stops it after the current asset. */
export async function recomputeShowing(
  pool: Pool,
  orgId: number,
  options: Pick<Recomputing, 'settingId' | 'assetId' | 'isDry'> = {},
): Promise<RecomputedSoFar & { isFinished: boolean }> {
  const progress = showProgress();
  return withInterruption((signal) =>
    wakingSealer(pool, (onMoves) =>
      recomputeOrganization(pool, orgId, {
        ...options,
        signal,
        onProgress: (sofar) => progress.show(sayProgress(sofar)),
        onMoves,
      }),
    ),
  ).finally(() => progress.end());
}

function sayProgress({ orgId, looked, of, assets, changed }: RecomputedSoFar): string {
  return `Organization ${orgId}: looked at ${looked} of ${of} assets, recomputed ${assets} histories, ${changed} changed`;
}

export function shownRecomputed(
  { orgId, assets, changed, written, removed }: RecomputedSoFar,
  isDry: boolean,
) {
  return {
    org_id: orgId,
    dry_run: isDry,
    assets,
    assets_changed: changed,
    rows_written: written,
    rows_removed: removed,
  };
}

export function describeRecomputed(
  { orgId, assets, changed, written, removed }: RecomputedSoFar,
  isDry: boolean,
): string {
  const would = isDry ? 'would change' : 'changed';
  return `Organization ${orgId}: ${changed} of ${assets} histories ${would}, ${written} rows written, ${removed} removed.`;
}

export function interrupted(again: string): AppError {
  return new AppError('unavailable', `Interrupted; ${again}`);
}
