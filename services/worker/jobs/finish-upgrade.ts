import type { Logger } from 'pino';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { buildSearchIndexes, SEARCH_INDEXES } from '../../../db/timescale/schema/search-indexes.ts';
import type { Job } from './job.ts';

/**
 * Builds the indexes that a migration left to be built beside others' work, once. Only the owner of the tables can: its `db`
 * is a connection by MIGRATE_DATABASE_URL.
 */
export function finishUpgrade(ownerUrl: string, log: Logger): Job {
  return {
    ...{ name: 'finish-upgrade', lock: ADVISORY_LOCKS.searchIndexes, session: SEARCH_INDEXES },
    ...{ url: ownerUrl, wokenBy: [], rest: 0, isBrokenOff: true },
    begin: (db) => ({
      turn: async () => {
        const client = await db.connect();
        try {
          await buildSearchIndexes(client, ownerUrl, {
            onBlocked: (index, who) => log.info({ index, who }, 'Building an index waits for a transaction'),
            onBegin: (index) =>
              log.info({ index }, 'Building an index; searches read every row until it is ready'),
          });
        } finally {
          client.release();
        }
        return null;
      },
    }),
  };
}
