import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import { toMicros } from '../../../base/timestamps.ts';
import type { Snapshot } from '../../../db/timescale/connections/snapshot.ts';
import { csvOf } from '../../../domain/reports/exports/csv.ts';
import { dwellTable } from '../../../domain/reports/exports/dwell-table.ts';
import { parquetOf } from '../../../domain/reports/exports/parquet.ts';
import { positionsTable } from '../../../domain/reports/exports/positions-table.ts';
import { batchesOf, type Piece, type ReportTable } from '../../../domain/reports/exports/report-table.ts';
import { staysTable } from '../../../domain/reports/exports/stays-table.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { Download } from '../../../platform/http/download.ts';
import { knownIfAsked, windowFrom } from '../../api/entry.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { exportCut } from '../serving/open-answers.ts';
import { DWELL, POSITIONS, REPORT_FILE, type ReportFormat, STAYS, styleOf } from './schema.ts';

const PROBLEMS = {
  unavailable: 'The organization has too many exports under way, or it was cut for another one',
};

const positions = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/positions', operationId: 'exportPositions' },
  summary: 'Where every asset was at an instant, as a file',
  scope: 'tracking:read',
  ...{ query: POSITIONS, success: REPORT_FILE, problems: PROBLEMS },
  handle: async ({
    context,
    query: { organization, format, separator, at, known_at: knownAt, ...filters },
    signal,
  }) =>
    reportDownload(context, { name: 'positions', format, separator, hangUp: signal() }, async (snapshot) => {
      const known = await knownIfAsked(snapshot, knownAt, { at: toMicros(at.instant) });
      return positionsTable(snapshot.orgId, firstAfter(at), known, filters);
    }),
});

const stays = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/stays', operationId: 'exportStays' },
  summary: 'Every stay that overlaps a window of time, as a file',
  scope: 'tracking:read',
  ...{ query: STAYS, success: REPORT_FILE, problems: PROBLEMS },
  handle: async ({
    context,
    query: { organization, format, separator, from, to, known_at: knownAt, ...filters },
    signal,
  }) =>
    reportDownload(context, { name: 'stays', format, separator, hangUp: signal() }, async (snapshot) => {
      const window = windowFrom({ from, to });
      const known = await knownIfAsked(snapshot, knownAt, window);
      return staysTable(snapshot.orgId, window, known, filters);
    }),
});

const dwell = memberRoute({
  ...{ method: 'GET', path: '/console/v1/exports/dwell', operationId: 'exportDwell' },
  summary: 'How long assets stayed in a window of time, as a file',
  scope: 'tracking:read',
  ...{ query: DWELL, success: REPORT_FILE, problems: PROBLEMS },
  handle: async ({
    context,
    query: { organization, format, separator, from, to, known_at: knownAt, ...filters },
    signal,
  }) =>
    reportDownload(context, { name: 'dwell', format, separator, hangUp: signal() }, async (snapshot) => {
      const window = windowFrom({ from, to });
      const known = await knownIfAsked(snapshot, knownAt, window);
      return dwellTable(snapshot.orgId, window, known, filters);
    }),
});

export const reportExportRoutes = [positions, stays, dwell];

/** Rows of Parquet that are written at once: others wait for it no longer than for a batch of CSV. */
const ROW_GROUP = 4_000;

const WRITE: Record<ReportFormat, { pieces: typeof csvOf; type: string }> = {
  csv: { pieces: csvOf, type: 'text/csv; charset=utf-8; header=present' },
  parquet: {
    pieces: (columns, batches) => parquetOf(columns, batches, ROW_GROUP),
    type: 'application/vnd.apache.parquet',
  },
};

interface Wanted {
  name: string;
  format: ReportFormat;
  separator: Parameters<typeof styleOf>[0];
  hangUp: AbortSignal;
}

/** Milliseconds within which a file may be read: meanwhile the database keeps deleted rows. */
const PATIENCE = 900_000;

/**
 * A whole report as a file, read as of one instant. Its first rows are waited for, so that a report that is refused is
 * answered as such.
 *
 * @param table @throws Invalid for wrong times.
 */
async function reportDownload<Row extends { id: number | string }>(
  { db: { orgId }, parts }: ConsoleContext,
  { name, format, separator, hangUp }: Wanted,
  table: (snapshot: Snapshot) => Promise<ReportTable<Row>>,
): Promise<Download> {
  const place = await parts.open.reportExports.enter(orgId, hangUp);
  const signal = AbortSignal.any([hangUp, place.asked, AbortSignal.timeout(PATIENCE)]);
  const written = async function* (): AsyncGenerator<Piece, void> {
    const snapshot = await parts.openSnapshot(orgId, signal);
    try {
      const report = await table(snapshot);
      yield* WRITE[format].pieces(report.columns, batchesOf(snapshot, report), styleOf(separator));
    } finally {
      await snapshot.end();
    }
  };
  const pieces = expensiveTurns.pieces(orgId, 'export', written(), QUEUE, signal);
  // It may never be read: to HEAD, or if the caller has gone.
  const end = () => {
    place.leave();
    pieces.return().catch(() => {});
  };
  const first = await untilRows(pieces).catch((error: unknown) => {
    place.leave();
    throw place.asked.aborted ? exportCut() : error;
  });
  const contents = async function* () {
    for (const { content } of first) {
      yield content;
    }
    for await (const { content } of pieces) {
      yield content;
      place.done += content.length;
    }
  };
  return new Download(`${name}.${format}`, WRITE[format].type, contents, end, place.asked);
}

/** The pieces up to the first that has rows. */
async function untilRows(pieces: AsyncGenerator<Piece, void>): Promise<readonly Piece[]> {
  const first: Piece[] = [];
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    first.push(next.value);
    if (next.value.rows > 0) {
      break;
    }
  }
  return first;
}
