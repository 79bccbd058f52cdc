import { acknowledgeAlert } from '../../../domain/alerts/acknowledge-alert.ts';
import { findAlert } from '../../../domain/alerts/listing/list-alerts.ts';
import { noContent } from '../../../platform/http/success.ts';
import { ONE_ALERT } from '../../api/entry.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';

const acknowledge = memberRoute({
  ...{ method: 'POST', path: '/console/v1/alerts/{alert_id}/acknowledge', operationId: 'acknowledgeAlert' },
  summary: 'Say that you have taken notice of an alert',
  ...{ scope: 'alerts:write', params: ONE_ALERT },
  find: {
    missing: 'Alert not found',
    row: ({ context: { db }, params }: { context: ConsoleContext; params: { alert_id: string } }) =>
      findAlert(db, db.orgId, params.alert_id),
  },
  success: noContent('Acknowledged; or it was before, or is over'),
  handle: async ({ context: { db, session, parts }, row: { id }, requestId }) => {
    await acknowledgeAlert(db, actorOfUser(session, requestId), { orgId: db.orgId, id }, session.name);
    parts.insight.onMoves([db.orgId]);
  },
});

export const alertRoutes = [acknowledge];
