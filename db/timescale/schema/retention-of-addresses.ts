import type { Pool } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';

/**
 * Takes from sign-ins in the change log, after so many days, the address that somebody signed in from: with the time it says
 * where a person was. What else an entry says stays. Of what arrives from another cell they are taken there, until all
 * of it is here. Found by an index of its own (`changes__at_of_address`).
 *
 * @returns of how many.
 */
export function forgetAddresses(pool: Pool, days: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    // The log refuses changes otherwise.
    await client.query(`select set_config('tagtrail.retention', 'on', true)`);
    const { rowCount } = await client.query(
      `update changes set after = (after::jsonb - 'address')::json
       where action = 'sign_in' and after ->> 'address' is not null
         and at < now() - make_interval(days => $1::integer)
         and not exists (
           select from cell_moves move where move.org_id = changes.org_id and move.state = 'arriving'
         )`,
      [days],
    );
    return rowCount ?? 0;
  });
}
