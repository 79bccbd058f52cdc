import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { OF_ASSET } from '../stays/routes.ts';
import { STAYS_QUERY } from '../stays/schema.ts';
import { readGaps } from './read-gaps.ts';
import { COVERAGE } from './schema.ts';
import { coverageView } from './view.ts';

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
