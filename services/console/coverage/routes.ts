import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { OF_ASSET } from '../stays/routes.ts';
import { STAYS_QUERY } from '../stays/schema.ts';
import { type KnownGaps, readGaps } from './read-gaps.ts';
import { COVERAGE, MOST_GAPS } from './schema.ts';

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
