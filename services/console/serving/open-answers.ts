import { OpenStreams } from '../../../platform/http/open-streams.ts';
import { Problem } from '../../../platform/http/problem.ts';

/** Event streams of one user: a tab has one. */
const MOST_TABS = 30;

/** Listeners of one organization; ingestion listens to as many of its antennas. */
const MOST_LISTENERS = 20;

/** Exports under way. Each holds up to a MiB of rows for as long as its reader takes. */
const EXPORTS = { total: 40, perKey: 4 };

/**
 * Exports of reports under way. Each holds a connection to the database, and its snapshot, until it is read. An organization
 * has a second one only while half of them are free: two that read slowly leave others a place.
 */
const REPORT_EXPORTS = { total: 4, perKey: 2, reserved: 2 };

/** Answers that go on for as long as their reader wants. */
export interface OpenAnswers {
  /** By user. */
  tabs: OpenStreams<number>;
  /** By organization. */
  exports: OpenStreams<number>;
  /** By organization. */
  reportExports: OpenStreams<number>;
  /** By organization. */
  listeners: OpenStreams<number>;
}

export function openAnswers(): OpenAnswers {
  const unbounded = Number.POSITIVE_INFINITY;
  return {
    tabs: new OpenStreams({ total: unbounded, perKey: MOST_TABS }, () =>
      refusal(
        `The console is open in ${MOST_TABS} tabs already; close one to see moves here as they come`,
        30,
      ),
    ),
    exports: new OpenStreams(EXPORTS, tooManyExports),
    reportExports: new OpenStreams(REPORT_EXPORTS, tooManyExports),
    listeners: new OpenStreams({ total: unbounded, perKey: MOST_LISTENERS }, () =>
      refusal(
        `${MOST_LISTENERS} people of your organization listen to antennas already; try again when one has stopped`,
        30,
      ),
    ),
  };
}

function tooManyExports(): Problem {
  return refusal('As many exports as can run at once are under way; try again in a moment', 10);
}

function refusal(detail: string, seconds: number): Problem {
  return new Problem('unavailable', detail, { headers: { 'Retry-After': String(seconds) } });
}
