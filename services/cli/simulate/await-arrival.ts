import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import type { Connections } from '../../../simulation/connections.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import type { SiteReader } from '../../../simulation/site.ts';
import type { ReaderCounts } from '../../../simulation/truth/reader-truth.ts';
import { storedCounts } from './stored-counts.ts';

/**
 * Makes every reader publish heartbeats until the database has counted one, so that later messages arrive,
 * too.
 *
 * @returns the readers' counters at that time.
 * @throws AppError `unavailable` if they do not arrive.
 */
export async function awaitArrival(
  { pool, connections, broker }: { pool: Pool; connections: Connections; broker: string },
  orgId: number,
  readers: readonly SiteReader[],
  now: () => Micros,
): Promise<ReadonlyMap<string, ReaderCounts>> {
  const names = readers.map(({ name }) => name);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const counts = await storedCounts(pool, orgId, names);
    const missing = readers.filter(({ name }) => (counts.get(name)?.messages ?? 0) === 0);
    if (missing.length === 0) {
      return counts;
    }
    // Repeated with pauses: a heartbeat still on its way would be counted late.
    if (attempt % ATTEMPTS_BETWEEN_HEARTBEATS === 0) {
      const published = missing.map((reader) => {
        const { topic, payload } = ENCODERS[reader.format].heartbeat(reader, now(), attempt);
        return connections.publish(reader.name, payload, { topic });
      });
      await Promise.race([Promise.all(published), setTimeout(PATIENCE)]);
    } else {
      await setTimeout(PAUSE);
    }
  }
  throw new AppError(
    'unavailable',
    `What is published to ${broker} does not arrive in this database; check that ingestion runs on both (${TAGTRAIL} doctor)`,
  );
}

/** Milliseconds. */
const PAUSE = 100;
const PATIENCE = 5_000;
const ATTEMPTS = 100;
const ATTEMPTS_BETWEEN_HEARTBEATS = 40;
