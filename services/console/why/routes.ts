import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { explain, NotSeenYet } from '../../../domain/tracking/why/explain.ts';
import { namesIn } from '../../../domain/tracking/why/names.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { OF_ASSET } from '../stays/routes.ts';
import { locationNames } from './queries.ts';
import { WHY, WHY_QUERY } from './schema.ts';
import { notSeenView, whyView } from './view.ts';

const why = memberRoute({
  ...{ method: 'GET', path: '/console/v1/assets/{asset_id}/why', operationId: 'explainStay' },
  summary: 'Why an asset is where it is, or was at a time',
  scope: 'tracking:read',
  query: WHY_QUERY,
  ...OF_ASSET,
  success: found(WHY, 'The reason'),
  handle: async ({ context: { db, parts }, query: { at }, row: assetId, signal }) => {
    const { orgId } = db;
    const instant = at === undefined ? null : firstAfter(at) - 1;
    await requirePast(db, instant === null ? {} : { at: instant });
    return parts.insight.run(
      orgId,
      async (installation) => {
        const explanation = await explain(installation, { orgId, assetId }, instant);
        if (explanation instanceof NotSeenYet) {
          return notSeenView(explanation);
        }
        const names = await namesIn(installation, orgId, explanation);
        return whyView(explanation, names, await locationNames(db, explanation));
      },
      signal(),
    );
  },
});

export const whyRoutes = [why];
