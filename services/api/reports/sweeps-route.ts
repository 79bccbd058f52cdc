import { requirePast } from '../../../domain/reports/require-past.ts';
import { listSweeps } from '../../../domain/reports/sweeps/list-sweeps.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower } from './or-narrower.ts';
import { SWEEP, SWEEPS } from './sweeps-schema.ts';
import { sweepView } from './sweeps-view.ts';

export const sweeps = route({
  method: 'GET',
  path: '/api/v1/reports/sweeps',
  operationId: 'reportSweeps',
  summary: 'Report what sweeps found',
  description:
    'One row for each sweep that ended in the window, the latest first. The filter of assets finds the sweeps in which one was expected, found, missing or moved; that of locations those made at one.',
  scope: 'tracking:read',
  query: SWEEPS,
  params: {},
  success: listed(SWEEP, 'A page of sweeps'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    await requirePast(db, window);
    return listBody(await orNarrower('from', listSweeps(db, window, query, signal())), query, sweepView);
  },
});
