import { Problem } from '../../shared/http/problem.ts';
import { answered } from '../../shared/http/success.ts';
import { route } from '../context.ts';
import { BULK, bulkBody } from './schema.ts';

const WHEN_UNAVAILABLE = 'Assets cannot be imported over HTTP yet';

const importAssets = route({
  method: 'POST',
  path: '/api/v1/assets/bulk',
  operationId: 'importAssets',
  summary: 'Import assets from a CSV file',
  scope: 'assets:write',
  isInternal: true,
  query: BULK,
  params: {},
  body: bulkBody,
  success: answered<never>({ type: 'object' }, 'What was imported, or would be'),
  problems: { unavailable: WHEN_UNAVAILABLE },
  handle: async () => {
    throw new Problem('unavailable', WHEN_UNAVAILABLE);
  },
});

export const importRoutes = [importAssets];
