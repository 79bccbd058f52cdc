import type { Micros } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';
import { recomputable } from '../recompute/recomputable.ts';
import { type Reason, reasonAt, type Seen } from '../smoothing/counting.ts';
import { loadScans } from '../smoothing/load-stretches.ts';
import { readSmoothing } from '../smoothing/read-settings.ts';
import { MAX_WINDOW, SmoothingSettings } from '../smoothing/settings.ts';
import { type Rival, rivalsOf } from './rivals.ts';
import { type SaidBefore, saidBefore } from './said-before.ts';
import { scansNear } from './scans-near.ts';
import { firstSeen, stayAt } from './stay-at.ts';

/** Why an asset is said to have been somewhere. */
export interface Explanation {
  stay: { locationId: number; from: Micros; to: Micros | null };
  /** The first scan of the stay that counts; null if it was recorded before this was kept. */
  decidedBy: DecidingScan | null;
  /** Why that scan counts; null if that is not known any more. */
  reason: Reason | null;
  /** Null once the raw scans are gone. */
  rivals: Rival[] | null;
  /** All reads around the deciding scan, oldest first; null once the raw scans are gone. */
  around: Seen[] | null;
  /** Oldest first. */
  saidBefore: SaidBefore[];
}

/** There is nothing to explain: the asset was seen later, or never (null). */
export class NotSeenYet {
  readonly firstSeen: Micros | null;

  constructor(firstSeenAt: Micros | null) {
    this.firstSeen = firstSeenAt;
  }
}

/**
 * Explains where an asset was at an instant, or where it is now. All of it is of one snapshot. The reason comes from the
 * function that judged the scan when it was recorded.
 */
export function explain(pool: Pool, asset: AssetRef, at: Micros | null): Promise<Explanation | NotSeenYet> {
  return inSnapshot(pool, async (client) => {
    const stay = await stayAt(client, asset, at ?? LATEST);
    if (stay === null) {
      return new NotSeenYet(await firstSeen(client, asset));
    }
    const { locationId, from, to, decidedBy } = stay;
    const settings =
      (await readSmoothing(client, [asset.orgId])).get(asset.orgId) ?? new SmoothingSettings([]);
    const scans = await scansAround(client, asset, from);
    return {
      stay: { locationId, from, to },
      decidedBy: decidedBy ?? scans?.find(({ observedAt }) => observedAt === from)?.scan ?? null,
      reason:
        scans === null
          ? reasonWithout(decidedBy, { locationId, from }, settings)
          : reasonAt(scans, settings, from),
      rivals: scans === null ? null : rivalsOf({ at: from, locationId }, scans, settings),
      around: scans === null ? null : scansNear(scans, from),
      saidBefore: await saidBefore(client, asset, at ?? from),
    };
  });
}

/** All scans that bear on whether one counts; null if some of them were dropped. */
async function scansAround(db: Connection, asset: AssetRef, at: Micros) {
  const known = await recomputable(db, asset, null);
  if (known === null || at < known.from) {
    return null;
  }
  const [scans = []] = await loadScans(db, [{ ...asset, from: at - MAX_WINDOW, to: at + MAX_WINDOW }]);
  return scans;
}

/** What can be said of the deciding scan alone. */
function reasonWithout(
  decidedBy: DecidingScan | null,
  { locationId, from }: { locationId: number; from: Micros },
  settings: SmoothingSettings,
): Reason | null {
  if (decidedBy?.source.kind === 'handheld') {
    return 'person';
  }
  if (decidedBy === null) {
    return null;
  }
  return settings.at(locationId, from) === null ? 'smoothing_off' : (decidedBy.proof ?? null);
}

/** Year 2200: later than any scan. */
const LATEST: Micros = Date.UTC(2200, 0) * 1_000;
