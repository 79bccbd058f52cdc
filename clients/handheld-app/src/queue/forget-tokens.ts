import { hasTokenShape } from '../../../../base/tag-secrets.ts';
import type { Database } from '../storage/database.ts';
import { queueAgain } from './refused-submissions.ts';

/**
 * Deletes scans of tokens, which earlier versions took for tags. The rest of a submission with one is queued anew under
 * another id: the gateway may have recorded it already, and a scan sent twice moves nothing.
 */
export async function forgetTokens(database: Database): Promise<void> {
  for (const { submission_id, submission } of await database.getAll('submissions')) {
    if (submission.scans.some(({ value }) => hasTokenShape(value))) {
      await queueAgain(database, submission_id, null);
    }
  }
  const transaction = database.transaction('scans', 'readwrite');
  for (const { seq, value } of await transaction.store.getAll()) {
    if (hasTokenShape(value)) {
      await transaction.store.delete(seq);
    }
  }
  await transaction.done;
}
