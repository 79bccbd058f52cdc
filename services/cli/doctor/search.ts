import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { findSearchIndexes } from '../../../db/timescale/schema/search-indexes.ts';
import { type Finding, ok, warning } from '../../../domain/health/finding.ts';

/**
 * Checks the indexes of searches (`q`); a migration leaves them out if an extension is missing or may not be
 * created.
 */
export async function examineSearch(client: Client): Promise<Finding> {
  const { hasExtensions, missing } = await findSearchIndexes(client);
  if (missing.length === 0) {
    return ok('search', 'Searches use an index');
  }
  return hasExtensions
    ? warning(
        'search',
        `Searches (q) read every row of the organization: ${missing.join(', ')} not built to the end`,
        `Wait, if it is being built now; else \`${TAGTRAIL} migrate\` builds it while others go on writing`,
      )
    : warning(
        'search',
        'Searches (q) read every asset of the organization: the extensions pg_trgm and btree_gin are not there',
        'Install postgresql-contrib, and as a superuser in this database: ' +
          `create extension pg_trgm; create extension btree_gin; then ${TAGTRAIL} migrate builds the indexes.`,
      );
}
