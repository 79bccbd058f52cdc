import { expensiveTurns } from '../../../base/expensive-turns.ts';
import type { Snapshot } from '../../../db/timescale/connections/snapshot.ts';
import { QUEUE } from '../../../domain/master-data/expensive-queue.ts';
import { csvOf } from '../../../domain/reports/exports/csv.ts';
import { parquetOf } from '../../../domain/reports/exports/parquet.ts';
import type { Piece } from '../../../domain/reports/exports/piece.ts';
import { batchesOf, type ReportTable } from '../../../domain/reports/exports/report-table.ts';
import { Download } from '../../../platform/http/download.ts';
import type { ConsoleContext } from '../serving/context.ts';
import type { ReportFormat } from './schema.ts';

/** Rows of Parquet that are written at once: others wait for it no longer than for a batch of CSV. */
const ROW_GROUP = 4_000;

const WRITE: Record<ReportFormat, { pieces: typeof csvOf; type: string }> = {
  csv: { pieces: csvOf, type: 'text/csv; charset=utf-8; header=present' },
  parquet: {
    pieces: (columns, batches) => parquetOf(columns, batches, ROW_GROUP),
    type: 'application/vnd.apache.parquet',
  },
};

/** Milliseconds for which a file may be read: while it is, the database keeps what others delete. */
const PATIENCE = 900_000;

/**
 * A whole report as a file, read as of one instant. Its first rows are waited for, so that a report that is refused is
 * answered as such.
 *
 * @param table @throws Invalid for wrong times.
 */
export async function reportDownload<Row extends { id: number | string }>(
  { db: { orgId }, parts }: ConsoleContext,
  { name, format, hangUp }: { name: string; format: ReportFormat; hangUp: AbortSignal },
  table: (snapshot: Snapshot) => Promise<ReportTable<Row>>,
): Promise<Download> {
  const leave = parts.open.reportExports.enter(orgId);
  const signal = AbortSignal.any([hangUp, AbortSignal.timeout(PATIENCE)]);
  const written = async function* (): AsyncGenerator<Piece, void> {
    const snapshot = await parts.openSnapshot(orgId, signal);
    try {
      const report = await table(snapshot);
      yield* WRITE[format].pieces(report.columns, batchesOf(snapshot, report));
    } finally {
      await snapshot.end();
    }
  };
  const pieces = expensiveTurns.pieces(orgId, 'export', written(), QUEUE, signal);
  // It may never be read: to HEAD, or if the caller has gone.
  const end = () => {
    leave();
    pieces.return().catch(() => {});
  };
  const first = await untilRows(pieces).catch((error: unknown) => {
    leave();
    throw error;
  });
  const contents = async function* () {
    for (const { content } of first) {
      yield content;
    }
    for await (const { content } of pieces) {
      yield content;
    }
  };
  return new Download(`${name}.${format}`, WRITE[format].type, contents, end);
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
