import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { toMicros, wireTime, wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { coveredTimes, type PlaceEvidence } from '../../../domain/presence/coverage/covered-times.ts';
import { LOOKS_BACK, loadEvidence } from '../../../domain/presence/coverage/load-places.ts';
import { continuousPeriods } from '../../../domain/presence/coverage/watches.ts';
import { type Interval, joined, within, without } from '../../../domain/presence/intervals.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { loadSweeps } from '../../../domain/sweeps/load-sweeps.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { FLAG_SCHEMA, listOf, objectOf } from '../serving/schemas.ts';
import { MOST_STAYS, OF_ASSET, readStays, STAYS_QUERY, type StaysRow } from '../stays/routes.ts';

/** The longest gaps are shown; more than a picture can show. */
const MOST_GAPS = 500;

const COVERAGE: JsonSchema = objectOf({
  from: TIME_SCHEMA,
  gaps: listOf(objectOf({ location_id: ID_SCHEMA, from: TIME_SCHEMA, to: TIME_SCHEMA })),
  is_cut: FLAG_SCHEMA,
});

const gaps = memberRoute({
  ...{ method: 'GET', path: '/console/v1/assets/{asset_id}/coverage', operationId: 'listCoverageGaps' },
  summary: 'When nobody would have noticed had an asset left the places where it was',
  description:
    'Of stays at places that are watched continuously. Of the last 31 days of the range, from `from` on, and of the places where it was longest.',
  scope: 'tracking:read',
  query: STAYS_QUERY,
  ...OF_ASSET,
  success: found(COVERAGE, 'The gaps'),
  handle: async ({ context, query, row: assetId, signal }) =>
    coverageView(await readGaps(context.db, assetId, query, signal()).catch(orNarrower)),
});

function orNarrower(error: unknown): never {
  throw error instanceof TooMuchWork
    ? invalid([invalidValue('from', 'has too much after it of when readers were heard; ask for less')])
    : error;
}

export const coverageRoutes = [gaps];

function coverageView({ since, gaps, isCut }: KnownGaps) {
  const longest = gaps.toSorted((a, b) => b.until - b.since - (a.until - a.since)).slice(0, MOST_GAPS);
  return {
    from: wireTimeOfMicros(since),
    gaps: longest
      .toSorted((a, b) => a.since - b.since)
      .map(({ locationId, since: from, until: to }) => ({
        ...{ location_id: locationId, from: wireTimeOfMicros(from), to: wireTimeOfMicros(to) },
      })),
    is_cut: isCut || gaps.length > MOST_GAPS,
  };
}

interface KnownGaps {
  since: Micros;
  gaps: Gap[];
  /** There may be more: not all stays, or not all locations, were examined. */
  isCut: boolean;
}

interface Gap extends Interval {
  locationId: number;
}

/**
 * When an asset was at a continuously watched location, and its departure would have gone unnoticed.
 *
 * @returns also the instant from which gaps are known: at most {@link LOOKS_BACK} before the end of the range.
 */
export async function readGaps(
  db: OrganizationDatabase,
  assetId: number,
  range: { from?: TimeBound | undefined; to?: TimeBound | undefined },
  signal: AbortSignal,
): Promise<KnownGaps> {
  const rows = await readStays(db, assetId, range, signal);
  const now = await requirePast(db, {});
  const until = Math.min(now, range.to === undefined ? now : toMicros(range.to.instant));
  const since = Math.max(until - LOOKS_BACK, range.from === undefined ? 0 : toMicros(range.from.instant));
  const all = staysWithin(rows, { since, until });
  const stays = new Map(all.slice(0, MOST_LOCATIONS));
  const list = db.listing({ isBrief: false, signal });
  const ids = [...stays.keys()];
  const sweeps = await loadSweeps(list, db.orgId, ids, { since, until });
  const evidence = await loadEvidence(list, db.orgId, ids, { since, until }, sweeps);
  const gaps = [...evidence].flatMap(([locationId, own]) =>
    within(stays.get(locationId) ?? [], coverageGaps(own, { since, until })).map((gap) => ({
      locationId,
      ...gap,
    })),
  );
  return { since, gaps, isCut: all.length > MOST_LOCATIONS || rows.length > MOST_STAYS };
}

/** Sorted, by location, those with the longest stays first. */
function staysWithin(rows: readonly StaysRow[], { since, until }: Interval): [number, Interval[]][] {
  const stays = rows.flatMap(({ id, arrived_at: arrived, left_at: left }) => {
    // An asset that was nowhere has one row, in which all is null.
    if (id === null) {
      return [];
    }
    const stay = {
      since: Math.max(since, microsOf(arrived)),
      until: Math.min(until, left === null ? until : microsOf(left)),
    };
    return stay.since >= stay.until ? [] : { id, stay };
  });
  const lengthOf = (own: typeof stays) => own.reduce((sum, { stay }) => sum + stay.until - stay.since, 0);
  const longest = [...Map.groupBy(stays, ({ id }) => id)].toSorted(
    ([, a], [, b]) => lengthOf(b) - lengthOf(a),
  );
  // They came newest first.
  return longest.map(([id, own]) => [id, own.map(({ stay }) => stay).toReversed()]);
}

function microsOf(time: string): Micros {
  return Date.parse(wireTime(time)) * MICROS_PER_MILLISECOND;
}

/**
 * When a continuously watched location was not covered, so that assets could leave unnoticed. A reader whose next
 * message is not yet due at the end of the window is taken to listen.
 */
function coverageGaps(evidence: PlaceEvidence, window: Interval): Interval[] {
  const goOn = coveredTimes(evidence, window, 'taken').filter(({ until }) => until >= window.until);
  return without(
    joined(continuousPeriods(evidence.watches, window)),
    joined([...coveredTimes(evidence, window), ...goOn]),
  );
}

/** Locations to show: those where the asset was longest. A picture has ten lanes. */
const MOST_LOCATIONS = 20;
