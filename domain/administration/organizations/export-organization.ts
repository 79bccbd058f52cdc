import { createHash, type Hash } from 'node:crypto';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { type ExportedInstant, exportRows } from '../../../db/timescale/erase/export-rows.ts';
import { requireOrganization } from './live-organization.ts';

export interface ExportedFile {
  name: string;
  rows: number;
  sha256: string;
}

/**
 * Everything that an organization has, deleted or not, as of one instant: a file of JSON lines for each table, without
 * passwords, tokens and the like.
 *
 * @param append is called for each file, with nothing at first.
 * @throws AppError `not_found`
 */
export async function exportOrganization(
  pool: Pool,
  orgId: number,
  append: (file: string, text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<ExportedInstant & { files: ExportedFile[] }> {
  await requireOrganization(databaseOn(pool), orgId);
  const files = new Map<string, { rows: number; hash: Hash }>();
  const instant = await exportRows(pool, orgId, async (table, lines) => {
    signal.throwIfAborted();
    const name = `${table}.jsonl`;
    const file = files.get(name) ?? { rows: 0, hash: createHash('sha256') };
    const text = lines.map((line) => `${line}\n`).join('');
    file.rows += lines.length;
    file.hash.update(text);
    files.set(name, file);
    await append(name, text);
  });
  return {
    ...instant,
    files: [...files].map(([name, { rows, hash }]) => ({ name, rows, sha256: hash.digest('hex') })),
  };
}
