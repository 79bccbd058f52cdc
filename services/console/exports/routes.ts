import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import type { CsvStyle } from '../../../domain/master-data/imports/csv-style.ts';
import { exportFile } from '../../../domain/master-data/imports/export-file.ts';
import { pagesOfAssets, pagesOfLocations } from '../../../domain/master-data/imports/ids-by-filters.ts';
import { inStates } from '../../../domain/reports/presence/list-presence.ts';
import { Download } from '../../../platform/http/download.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { ASSETS, CSV, LOCATIONS, styleOf } from './schema.ts';

const PROBLEMS = {
  unavailable: 'The organization has too many exports under way, or it was cut for another one',
};

const assets = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/assets', operationId: 'exportAssets' },
  summary: 'The live assets that the list shows with these filters, as CSV',
  scope: 'assets:read',
  ...{ query: ASSETS, success: CSV, problems: PROBLEMS },
  handle: async ({ context, query: { organization, separator, ...filters }, signal }) => {
    const hangUp = signal();
    const asked = await inStates(context.db, filters, hangUp);
    return download(context, 'asset', pagesOfAssets(context.db, asked, hangUp), styleOf(separator), hangUp);
  },
});

const locations = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/locations', operationId: 'exportLocations' },
  summary: 'The live locations that the list shows with these filters, as CSV',
  scope: 'locations:read',
  ...{ query: LOCATIONS, success: CSV, problems: PROBLEMS },
  handle: async ({ context, query: { organization, separator, ...filters }, signal }) => {
    const hangUp = signal();
    return download(
      context,
      'location',
      pagesOfLocations(context.db, filters, hangUp),
      styleOf(separator),
      hangUp,
    );
  },
});

async function download(
  { db, parts }: ConsoleContext,
  resource: Keyed,
  pages: AsyncIterable<readonly number[]>,
  style: CsvStyle,
  hangUp: AbortSignal,
): Promise<Download> {
  const place = await parts.open.exports.enter(db.orgId, hangUp);
  const texts = async function* () {
    const pieces = exportFile(db, resource, pages, style);
    for await (const { text } of expensiveTurns.pieces(db.orgId, 'export', pieces, QUEUE, hangUp)) {
      yield text;
      place.done += text.length;
    }
  };
  return new Download(
    `${resource}s.csv`,
    'text/csv; charset=utf-8; header=present',
    texts,
    () => place.leave(),
    place.asked,
  );
}

export const exportRoutes = [assets, locations];
