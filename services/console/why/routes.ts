import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import { toMicros } from '../../../base/timestamps.ts';
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
  handle: ({ context: { db, parts }, query: { at }, row: assetId, signal }) => {
    const { orgId } = db;
    // The wire shows milliseconds: a time copied from there is in the stay that began within it.
    const instant =
      at === undefined ? null : toMicros(at.instant) + (at.isMilliseconds ? MICROS_PER_MILLISECOND - 1 : 0);
    if (instant !== null && instant > (Date.now() + 1) * MICROS_PER_MILLISECOND) {
      throw invalid([invalidValue('at', 'must not be in the future; leave it out for now')]);
    }
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
