import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../../../../db/timescale/connections/client.ts';
import { leaseSessions, NotAlone } from './lease-sessions.ts';

/** Milliseconds. */
const AGAIN = 300;

/**
 * Registers the only process of a realm, before it subscribes to anything. A predecessor that was killed is waited for,
 * until its lease has ended.
 *
 * @throws NotAlone if another process runs: it renews its lease.
 */
export async function awaitAlone(
  pool: Pool,
  { realm, process }: { realm: string; process: string },
): Promise<void> {
  const asking = { realm, process, sessions: [], leaving: new Set<string>(), isConnected: false };
  for (let before: NotAlone | null = null; ; await pause(AGAIN)) {
    try {
      await leaseSessions(pool, { ...asking, isAlone: true });
      return;
    } catch (error) {
      const isRenewed = before !== null && error instanceof NotAlone && error.heldUntil !== before.heldUntil;
      if (!(error instanceof NotAlone) || isRenewed) {
        throw error;
      }
      before = error;
    }
  }
}
