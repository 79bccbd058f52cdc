import type { Client } from '../../../db/timescale/connections/client.ts';
import type { BinaryValues } from '../../../db/timescale/queries/binary-values.ts';
import { type CopyTarget, copyRows } from '../../../db/timescale/queries/copy-rows.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { type ChangedRows, countRows } from './changed-rows.ts';
import { inParts, isMoved, MOST_ROWS, rowsAsJson, type UnsealedMove } from './unsealed-move.ts';

/**
 * Writes changes of histories where the sealer finds them once they are committed.
 *
 * @param moves of locked positions, one of each, so that ids ascend along an asset.
 */
export async function writeUnsealed(client: Client, moves: readonly UnsealedMove[]): Promise<void> {
  const small = moves.filter(isSmall);
  const large = moves.filter((move) => !isSmall(move));
  await Promise.all([
    small.length === 0 ? null : copyRows(client, UNSEALED, small, writeMove),
    large.length === 0 ? null : writeInParts(client, large),
  ]);
}

function isSmall({ rows }: UnsealedMove): boolean {
  return countRows(rows) <= MOST_ROWS;
}

const COLUMNS = [
  'org_id',
  'asset_id',
  'kind',
  'recorded_at',
  'location_id',
  'since',
  'last_seen',
  'previous_location_id',
  'duration_seconds',
  'rows',
];

const UNSEALED: CopyTarget = { table: 'unsealed_moves', columns: COLUMNS };

/** One that only says where the asset has come to, as most are, goes without JSON. */
function writeMove(into: BinaryValues, move: UnsealedMove): void {
  if (isMoved(move)) {
    writeAs('moved', into, move);
    into.bigint(move.rows.added[0]?.durationSeconds ?? null);
    into.null();
  } else {
    writeCorrected(into, move, move.rows);
  }
}

function writeCorrected(into: BinaryValues, move: UnsealedMove, rows: ChangedRows): void {
  writeAs('corrected', into, move);
  into.null();
  into.text(rowsAsJson(rows));
}

function writeAs(kind: 'moved' | 'corrected', into: BinaryValues, move: UnsealedMove): void {
  into.integer(move.orgId);
  into.integer(move.assetId);
  into.text(kind);
  into.timestamp(move.recordedAt);
  into.integer(move.stay?.locationId ?? null);
  into.timestamp(move.stay?.since ?? null);
  into.timestamp(move.lastSeen);
  into.integer(move.before?.locationId ?? null);
}

interface Part {
  id: number;
  part: number;
  parts: number;
  move: UnsealedMove;
  rows: ChangedRows;
}

async function writeInParts(client: Client, moves: readonly UnsealedMove[]): Promise<void> {
  const ids = await client.any(sql.prepared('ids-of-unsealed-moves', rowsOf<{ id: number }>())`
    select nextval(pg_get_serial_sequence('unsealed_moves', 'id')) as id
    from generate_series(1, ${moves.length}::integer)`);
  const parts = moves.flatMap((move, index): Part[] => {
    const all = inParts(move.rows);
    const id = ids[index]?.id ?? 0;
    return all.map((rows, part) => ({ id, part: part + 1, parts: all.length, move, rows }));
  });
  await copyRows(client, PARTS, parts, writePart);
}

const PARTS: CopyTarget = { table: 'unsealed_moves', columns: ['id', 'part', 'parts', ...COLUMNS] };

function writePart(into: BinaryValues, { id, part, parts, move, rows }: Part): void {
  into.bigint(id);
  into.integer(part);
  into.integer(parts);
  writeCorrected(into, move, rows);
}
