import { messageOf } from '../../../base/errors.ts';
import { placeOf } from '../../../db/timescale/connections/database-url.ts';
import { examineReplica } from '../../../db/timescale/connections/examine-replica.ts';
import { type Finding, fault, ok, warning } from '../../../domain/health/finding.ts';

/** Milliseconds by which its clock may be ahead or behind for lists to be read there. */
const AHEAD = 1_000;
const BEHIND = 100;

export async function examineReadUrl(url: string, readUrl: string): Promise<Finding> {
  const place = `The replica at ${placeOf(readUrl)}`;
  try {
    const found = await examineReplica(url, readUrl);
    if (found.state === 'unusable') {
      return fault(
        'replica',
        `${place} cannot be used: ${found.fault}`,
        'Let DATABASE_READ_URL lead to a standby of the database at DATABASE_URL, without a pooler between',
      );
    }
    if (found.state === 'unavailable') {
      return warning(
        'replica',
        `${place} is not read: ${found.fault}`,
        'Start the standby, or correct DATABASE_READ_URL; the primary answers meanwhile',
      );
    }
    const { least, most } = found.clockAhead;
    return least > AHEAD || most < -BEHIND
      ? warning(
          'replica',
          `${place} has a clock that is ${(Math.abs(least + most) / 2_000).toFixed(1)} s ${least > 0 ? 'ahead of' : 'behind'} the primary's`,
          'Set both by the same time servers; the primary answers meanwhile',
        )
      : ok('replica', `${place} is ${found.bytesBehind} bytes of the log behind`);
  } catch (error) {
    return warning('replica', `${place} was not looked at: ${messageOf(error)}`, 'Mend the database first');
  }
}
