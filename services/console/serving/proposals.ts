import { RecentReads } from '../../../base/recent-reads.ts';
import { type FlappingArea, flappingAreas } from '../../../domain/moves/flapping-areas.ts';
import type { PairCounts } from '../../../domain/tracking/location/tally-pairs.ts';
import { recentPeriod } from '../../../domain/tracking/location/try-on-assets.ts';
import type { Period } from '../../../domain/tracking/location/try-setting.ts';
import type { Insight } from '../../api/entry.ts';
import type { Trials } from './trials.ts';

/** The moves of a time as `strength` would have made them. */
export interface ProposalTrial {
  period: Period;
  counts: PairCounts;
}

export interface Proposal extends FlappingArea {
  /** Null while the trial runs. */
  tried: ProposalTrial | null;
}

/** Milliseconds for which the outcome of a trial is reused. */
const RECENT_MS = 15 * 60_000;

/** Milliseconds until an answer goes out without unfinished trials; they go on for the next request. */
const PATIENCE_MS = 4_000;

/** Reads that a trial looks at. */
const MOST_SCANS = 100_000;

/** Proposes `strength` where assets flap, with the result it would have had on the recorded scans. */
export class Proposals {
  readonly #insight: Insight;
  readonly #trials: Trials;
  readonly #tried = new RecentReads<string, ProposalTrial>(RECENT_MS);

  constructor(insight: Insight, trials: Trials) {
    this.#insight = insight;
    this.#trials = trials;
  }

  async of(orgId: number, signal: AbortSignal): Promise<Proposal[]> {
    const areas = await this.#insight.run(
      orgId,
      (installation) => flappingAreas(installation, orgId),
      signal,
    );
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), PATIENCE_MS);
    const proposals = areas.map(async (area): Promise<Proposal> => {
      const trial = this.#tried.read(`${orgId} ${area.location_id}`, () =>
        this.#try(orgId, area.location_id),
      );
      // Its own error: too many are tried, or the service stops.
      return { ...area, tried: await Promise.race([trial.catch(() => null), late.promise]) };
    });
    return Promise.all(proposals).finally(() => clearTimeout(timer));
  }

  async #try(orgId: number, locationId: number | null): Promise<ProposalTrial> {
    const period = await this.#insight.run(orgId, (installation) =>
      recentPeriod(installation, orgId, MOST_SCANS),
    );
    const deciding = { procedure: 'strength' as const, certainty: null, tagDbm: null };
    const { covered, inside } = await this.#trials.run(
      { orgId, locationId, deciding, period, assetId: null },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    return { period: { from: covered.from, to: covered.to }, counts: inside };
  }
}
