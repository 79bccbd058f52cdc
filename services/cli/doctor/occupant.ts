import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { isHeldAnywhere } from '../../../db/timescale/connections/held-lock.ts';
import { type Finding, fault, ok } from '../../../domain/health/finding.ts';

/** Distinguishes an embedded database that serves `npm start` from one left behind by a killed one. */
export async function examineOccupant(client: Client): Promise<Finding> {
  return (await isHeldAnywhere(client, ADVISORY_LOCKS.occupation))
    ? ok('npm start', 'It runs, with the embedded database')
    : fault(
        'npm start',
        'The embedded database runs, but npm start does not: nothing is recorded, and nothing is answered',
        'Start everything: npm start; it takes over the database, with all that was committed',
      );
}
