import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { applyChanges, type Relations } from './apply-changes.ts';
import { beginApplying } from './begin-applying.ts';
import { requireUninterrupted } from './break-off.ts';
import type { Cells, MoveHooks } from './cells.ts';
import { type MovedTable, movedTables } from './moved-tables.ts';
import { lsnOf, textOfLsn } from './pgoutput.ts';
import { forget, peek, unpublishedParts } from './replication.ts';
import { findMove, setApplied } from './stored-moves.ts';

/** 2. Changes since then, until few are left. */
export async function follow(cells: Cells, { signal, onProgress }: MoveHooks): Promise<void> {
  for (let took = Number.POSITIVE_INFINITY; took > SHORT; ) {
    requireUninterrupted(signal);
    const began = performance.now();
    await requirePublished(cells);
    const { changes } = await catchUp(cells, await writtenUpTo(cells.from));
    took = performance.now() - began;
    onProgress(`following: ${changes} changes`);
  }
}

export async function requirePublished({ from, orgId, slot }: Cells): Promise<void> {
  const unpublished = await unpublishedParts(from, slot, await movedTables(from), orgId);
  if (unpublished.length > 0) {
    throw new AppError(
      'conflict',
      `A chunk was begun since the move began (${unpublished.join(', ')}); give the move up (cell give-up), and begin again`,
    );
  }
}

/** Milliseconds. Applying what is written meanwhile takes less than the organization may be held. */
const SHORT = 1_000;

/**
 * The position up to which the log is on disk with everything committed before. It is read only from there on: what was
 * merely inserted would not be seen, and {@link forget} could skip it. The commit of this message waits for the disk.
 */
export async function writtenUpTo(from: pg.Client): Promise<string> {
  const { rows } = await from.query<{ lsn: string }>(
    `select pg_logical_emit_message(true, 'tagtrail cell move', '')::text as lsn`,
  );
  return rows[0]?.lsn ?? '0/0';
}

export interface Applied {
  /** Rows that were changed. */
  changes: number;
  /** The transactions that changed them. */
  xids: readonly number[];
}

/** Applies everything committed up to `upTo`. The log must be on disk up to there. */
export async function catchUp({ from, to, orgId, slot, tables }: Cells, upTo: string): Promise<Applied> {
  let applied = lsnOf((await findMove(to, orgId))?.applied ?? '0/0');
  let changes = 0;
  const xids: number[] = [];
  for (;;) {
    const transactions = (await peek(from, slot, upTo)).filter(({ endLsn }) => endLsn <= lsnOf(upTo));
    const last = transactions.at(-1)?.endLsn ?? 0n;
    if (last <= applied) {
      await forget(from, slot, upTo);
      return { changes, xids };
    }
    const relations: Relations = new Map();
    await beginApplying(to);
    for (const { xid, messages, endLsn } of transactions) {
      const isNew = endLsn > applied;
      // Relations are told of once, with the first change.
      const news = isNew ? messages : messages.filter(({ kind }) => kind === 'relation');
      const changed = await applyChanges(to, news, relations, (part) => tableOf(tables, part));
      changes += changed;
      if (changed > 0) {
        xids.push(xid);
      }
    }
    await setApplied(to, orgId, textOfLsn(last));
    await to.query('commit');
    applied = last;
    await forget(from, slot, textOfLsn(last));
  }
}

function tableOf(tables: readonly MovedTable[], part: string): MovedTable {
  const found = tables.find(({ parts }) => parts.includes(part));
  if (found === undefined) {
    throw new Error(`${part} does not belong to a table that moves`);
  }
  return found;
}
