import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { backendsOf, processorTime } from '../../support/processor-time.ts';
import { onServer } from './site.ts';
import { CUT_OFF } from './traffic.ts';

export interface Copied {
  rows: number;
  seconds: number;
  /** Of the server, in seconds. */
  processorTime: number;
}

/** Copies the scans that were received since `since` into the same table of another database, as `\copy` would. */
export async function bareCopy(source: pg.Client, target: string, since: Date): Promise<Copied> {
  const pieces = await scansSince(source, since);
  return onServer(target, async (client) => {
    const pids = await backendsOf(client, 'tagtrail bench');
    const before = processorTime(pids);
    const start = performance.now();
    const into = client.query(from('copy scan_events from stdin'));
    await pipeline(Readable.from(pieces), into);
    const seconds = (performance.now() - start) / 1_000;
    return { rows: into.rowCount, seconds, processorTime: processorTime(pids) - before };
  });
}

/** The first columns of the condition are those of an index. Late reads were observed before, by {@link CUT_OFF} at the most. */
async function scansSince(client: pg.Client, since: Date): Promise<Buffer[]> {
  const observed = new Date(since.getTime() - CUT_OFF - MARGIN).toISOString();
  const text = `copy (select * from scan_events where org_id = 1 and reader_id is not null
    and observed_at >= '${observed}' and received_at >= '${since.toISOString()}') to stdout`;
  const pieces: Buffer[] = [];
  for await (const piece of client.query(to(text))) {
    pieces.push(piece as Buffer);
  }
  return inPieces(Buffer.concat(pieces));
}

function inPieces(all: Buffer): Buffer[] {
  const count = Math.ceil(all.length / PIECE);
  return Array.from({ length: count }, (_, index) => all.subarray(index * PIECE, (index + 1) * PIECE));
}

const PIECE = 65_536;

/** Milliseconds. */
const MARGIN = 60_000;
