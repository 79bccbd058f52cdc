import { toMicros } from '../../../base/timestamps.ts';
import { dwellTable } from '../../../domain/reports/exports/dwell-table.ts';
import { positionsTable } from '../../../domain/reports/exports/positions-table.ts';
import { staysTable } from '../../../domain/reports/exports/stays-table.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { knownIfAsked, windowFrom } from '../../api/entry.ts';
import { memberRoute } from '../serving/context.ts';
import { reportDownload } from './report-download.ts';
import { DWELL, POSITIONS, REPORT_FILE, STAYS } from './schema.ts';

const PROBLEMS = { unavailable: 'The organization has too many exports under way' };

const positions = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/positions', operationId: 'exportPositions' },
  summary: 'Where every asset was at an instant, as a file',
  scope: 'tracking:read',
  ...{ query: POSITIONS, params: {}, success: REPORT_FILE, problems: PROBLEMS },
  handle: async ({ context, query: { organization, format, at, known_at: knownAt, ...filters }, signal }) =>
    reportDownload(context, { name: 'positions', format, hangUp: signal() }, async (snapshot) => {
      const known = await knownIfAsked(snapshot, knownAt, { at: toMicros(at.instant) });
      return positionsTable(snapshot.orgId, firstAfter(at), known, filters);
    }),
});

const stays = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/stays', operationId: 'exportStays' },
  summary: 'Every stay that overlaps a window of time, as a file',
  scope: 'tracking:read',
  ...{ query: STAYS, params: {}, success: REPORT_FILE, problems: PROBLEMS },
  handle: async ({
    context,
    query: { organization, format, from, to, known_at: knownAt, ...filters },
    signal,
  }) =>
    reportDownload(context, { name: 'stays', format, hangUp: signal() }, async (snapshot) => {
      const window = windowFrom({ from, to });
      const known = await knownIfAsked(snapshot, knownAt, window);
      return staysTable(snapshot.orgId, window, known, filters);
    }),
});

const dwell = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/dwell', operationId: 'exportDwell' },
  summary: 'How long assets stayed in a window of time, as a file',
  scope: 'tracking:read',
  ...{ query: DWELL, params: {}, success: REPORT_FILE, problems: PROBLEMS },
  handle: async ({
    context,
    query: { organization, format, from, to, known_at: knownAt, ...filters },
    signal,
  }) =>
    reportDownload(context, { name: 'dwell', format, hangUp: signal() }, async (snapshot) => {
      const window = windowFrom({ from, to });
      const known = await knownIfAsked(snapshot, knownAt, window);
      return dwellTable(snapshot.orgId, window, known, filters);
    }),
});

export const reportExportRoutes = [positions, stays, dwell];
