import { notFound } from '../../../base/errors.ts';
import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import { isWhole, type LookedUp } from '../../../domain/master-data/large-texts.ts';
import { JsonBytes } from '../../../platform/http/success.ts';
import type { ApiContext } from './context.ts';

/**
 * The view of a looked-up row. If texts are missing, a worker thread reads the whole row, in the organization's turn,
 * as JSON.
 *
 * @param missing the 404 detail if it was deleted meanwhile; null to show it as deleted, as after a change of it.
 */
export async function wholeView<Row extends { id: number; tags: string }, View>(
  { readLarge }: ApiContext,
  row: LookedUp<Row> & { id: number },
  { resource, view, missing }: { resource: Keyed; view(row: Row): View; missing: string | null },
): Promise<View | JsonBytes> {
  if (isWhole<Row>(row)) {
    return view(row);
  }
  const bytes = await readLarge(resource, [row.id], { onlyLive: missing !== null });
  if (bytes.length === 0) {
    throw notFound(missing ?? 'The row is gone');
  }
  return new JsonBytes(bytes);
}
