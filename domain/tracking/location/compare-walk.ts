import { append } from '../../../base/append.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { history, type Stay } from '../history/history.ts';
import type { Site } from './site.ts';
import { type Seen, statementsOf } from './stated-locations.ts';
import { type Period, placeAtBoth, recordedScans, type TriedSites } from './try-setting.ts';

/** How long a person was at a location, and for how much of it antennas alone said so. */
export interface Walked {
  locationId: number;
  time: Micros;
  right: { present: Micros; proposed: Micros };
}

/** An hour's walk past 12 antennas that hear a tag twice a second. */
export const MOST_WALKED = 100_000;

/**
 * Compares a walk with the truth: the person with the tag scans it with a handheld on entering each location, and once
 * more at the end. Until the next such scan the asset is where the scan says.
 *
 * @returns by location, in order of first visits; empty without two such scans; null if it has more than {@link
 * MOST_WALKED} scans.
 */
export async function compareWalk(
  db: Connection,
  asset: AssetRef,
  period: Period,
  sites: TriedSites,
): Promise<Walked[] | null> {
  const scans: Seen[] = [];
  for await (const page of recordedScans(db, asset, period)) {
    await placeAtBoth(db, asset.orgId, sites, page);
    append(scans, page);
    if (scans.length > MOST_WALKED) {
      return null;
    }
  }
  const { person = [], reads = [] } = Object.groupBy(scans, ({ scan }) =>
    scan.source.kind === 'handheld' ? 'person' : 'reads',
  );
  const truth = person.map(({ locationId, observedAt: since }): Stay => ({ locationId, since }));
  const said = {
    present: await saidBy(reads, sites.present),
    proposed: await saidBy(reads, sites.proposed),
  };
  const walked = new Map<number, Walked>();
  for (const [index, { locationId, since: from }] of truth.entries()) {
    const to = truth[index + 1]?.since ?? from;
    const known = walked.get(locationId) ?? { locationId, time: 0, right: { present: 0, proposed: 0 } };
    known.time += to - from;
    known.right.present += timeAt(locationId, said.present, { from, to });
    known.right.proposed += timeAt(locationId, said.proposed, { from, to });
    walked.set(locationId, known);
  }
  return [...walked.values()].filter(({ time }) => time > 0);
}

async function saidBy(reads: readonly Seen[], site: Site): Promise<Stay[]> {
  const { statements } = await statementsOf(reads, site);
  return history(statements).map(({ locationId, observedAt: since }) => ({ locationId, since }));
}

function timeAt(locationId: number, stays: readonly Stay[], { from, to }: Period): Micros {
  return stays.reduce((sum, stay, index) => {
    const end = stays[index + 1]?.since ?? to;
    const overlap = Math.min(end, to) - Math.max(stay.since, from);
    return stay.locationId === locationId && overlap > 0 ? sum + overlap : sum;
  }, 0);
}
