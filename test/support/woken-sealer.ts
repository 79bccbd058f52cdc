import { listen } from '../../db/timescale/connections/listen.ts';
import { MOVES_WRITTEN, organizationsOf } from '../../domain/moves/sealing/announcements.ts';
import type { TestDatabase } from './database.ts';

/** The organizations for which the sealer was woken while `work` went on. */
export async function wokenFor(database: TestDatabase, work: () => Promise<unknown>): Promise<number[]> {
  const heard = new Set<number>();
  const end = Promise.withResolvers<void>();
  const listener = await listen(database.url, [MOVES_WRITTEN], {
    onNotify: (_, payload) => {
      const orgIds = organizationsOf(payload) ?? [];
      if (orgIds.includes(LAST)) {
        end.resolve();
      } else {
        orgIds.forEach((orgId) => {
          heard.add(orgId);
        });
      }
    },
    onReconnect: () => {},
    onLost: () => {},
  });
  await work();
  // Notifications come in order of commits.
  await database.rows('select pg_notify($1, $2)', [MOVES_WRITTEN, String(LAST)]);
  await end.promise;
  await listener.close();
  return [...heard];
}

const LAST = 2_000_000_000;
