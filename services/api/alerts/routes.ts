import { findAlert, listAlerts } from '../../../domain/alerts/listing/list-alerts.ts';
import { shownAlert } from '../../../domain/alerts/listing/listed-alert.ts';
import { isNear } from '../../../domain/master-data/clauses.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { found, listed } from '../../../platform/http/success.ts';
import { type ApiContext, route } from '../serving/context.ts';
import { ALERT, ALERTS, filtersFrom, ONE_ALERT } from './schema.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/alerts',
  operationId: 'listAlerts',
  summary: 'List alerts',
  description:
    'Alerts that rules have raised, last opened first. With `from` and `to`, those open at some time between them. Every change of an alert is in the feed, too.',
  scope: 'tracking:read',
  query: ALERTS,
  success: listed(ALERT, 'A page of alerts'),
  handle: async ({ context: { db }, query, signal }) => {
    const page = db.listing({ isBrief: isNear(query), signal: signal() });
    return listBody(await listAlerts(page, db.orgId, filtersFrom(query)), query, shownAlert);
  },
});

const read = route({
  method: 'GET',
  path: '/api/v1/alerts/{alert_id}',
  operationId: 'getAlert',
  summary: 'Read an alert',
  description: 'The alert as it is by now; its id stays the same from when it is opened.',
  scope: 'tracking:read',
  params: ONE_ALERT,
  find: {
    missing: 'Alert not found',
    row: ({ context: { db }, params }: { context: ApiContext; params: { alert_id: string } }) =>
      findAlert(db, db.orgId, params.alert_id),
  },
  success: found(ALERT, 'The alert'),
  handle: async ({ row }) => shownAlert(row),
});

export const alertRoutes = [list, read];
