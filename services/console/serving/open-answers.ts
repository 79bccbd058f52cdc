import { FairSemaphore, type Place, type SemaphoreBounds } from '../../../base/fair-semaphore.ts';
import { OpenStreams } from '../../../platform/http/open-streams.ts';
import { Problem } from '../../../platform/http/problem.ts';

/** Event streams of one user: a tab has one. */
const MOST_TABS = 30;

/** Listeners of one organization; ingestion listens to as many of its antennas. */
const MOST_LISTENERS = 20;

/**
 * Milliseconds that an export waits for a place. Once one of an organization without a place has waited for half of it, the
 * slowest export of the organization with most is cut.
 */
const PATIENCE = 10_000;

/** Exports under way. Each holds up to a MiB of rows for as long as its reader takes. */
const EXPORTS = {
  ...{ total: 40, perKey: 2, perKeyWithRoom: 4, kept: 10 },
  ...{ slice: PATIENCE / 2, waitingPerKey: 4, patience: PATIENCE, refusal: tooManyExports },
};

/** Exports of reports under way. Each holds a connection to the database, and its snapshot, until it is read. */
const REPORT_EXPORTS = { ...EXPORTS, total: 4, perKey: 1, perKeyWithRoom: 2, kept: 1 };

/** Answers that last as long as their reader wants. */
export interface OpenAnswers {
  /** By user. */
  tabs: OpenStreams<number>;
  /** By organization. */
  exports: Exports;
  /** By organization. */
  reportExports: Exports;
  /** By organization. */
  listeners: OpenStreams<number>;
}

export function openAnswers(): OpenAnswers {
  return {
    tabs: new OpenStreams(MOST_TABS, () =>
      refusal(
        `The console is open in ${MOST_TABS} tabs already; close one to see moves here as they come`,
        30,
      ),
    ),
    exports: new Exports(EXPORTS),
    reportExports: new Exports(REPORT_EXPORTS),
    listeners: new OpenStreams(MOST_LISTENERS, () =>
      refusal(
        `${MOST_LISTENERS} people of your organization listen to antennas already; try again when one has stopped`,
        30,
      ),
    ),
  };
}

/** Places of exports, shared among organizations. */
class Exports {
  readonly #most: number;
  readonly #places: FairSemaphore<number>;

  constructor(bounds: SemaphoreBounds) {
    this.#most = bounds.perKeyWithRoom;
    this.#places = new FairSemaphore(bounds);
  }

  get count(): number {
    return this.#places.running();
  }

  /** @throws Problem `unavailable`, at once if the organization has all that it may have. */
  async enter(orgId: number, signal: AbortSignal): Promise<Place> {
    if (this.#places.running(orgId) >= this.#most) {
      throw tooManyExports();
    }
    return this.#places.enter(orgId, signal);
  }
}

/** The problem of an export that is cut before its first row; later, its connection is closed. */
export function exportCut(): Problem {
  return refusal('The export was cut because others waited for its place; try again in a moment', 10);
}

function tooManyExports(): Problem {
  return refusal('As many exports as can run at once are under way; try again in a moment', 10);
}

function refusal(detail: string, seconds: number): Problem {
  return new Problem('unavailable', detail, { headers: { 'Retry-After': String(seconds) } });
}
