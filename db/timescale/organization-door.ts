import { PipelinedConnections } from './pipelined-connections.ts';
import { createPool } from './pool.ts';
import { type RowQueries, rowQueries } from './row-queries.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';
import { inTransaction } from './transaction.ts';
import { Turns } from './turns.ts';

/** How one organization's queries are sent. Every query names `orgId` all the same. */
export interface OrganizationConnection extends RowQueries {
  readonly orgId: number;
}

export interface OrganizationDatabase extends OrganizationConnection {
  /**
   * What can wait for others' locks belongs here: a statement by itself is sent on a connection that others share, and
   * their answers come after its own.
   *
   * Runs `work` in a transaction; again from the start if the database gave it up for another's sake.
   */
  transaction<Result>(work: (transaction: OrganizationConnection) => Promise<Result>): Promise<Result>;
}

/**
 * The one door to the tables of organizations: whoever comes through it is `tagtrail_api`, which sees the rows of the
 * organization that a setting names. No statement goes through without that setting in front of it, in the same
 * transaction and the same write, so it costs no round trip and leaves nothing behind.
 */
export interface OrganizationDoor {
  of(orgId: number): OrganizationDatabase;
  end(): Promise<void>;
}

/**
 * @param connections `max` of them, half of them for transactions, of which one organization has at most half at a
 * time: its own import can hold its transactions up for seconds, and must not hold up others'.
 */
export function openOrganizationDoor(url: string, connections: ServiceConnections): OrganizationDoor {
  const config = serviceConfig(url, connections, ORGANIZATION_ROLE);
  const shared = new PipelinedConnections(config, Math.ceil(connections.max / 2), ENTER);
  const exclusive = createPool(config, Math.floor(connections.max / 2));
  const turns = new Turns<number>(Math.ceil(exclusive.options.max / 2));
  return {
    of: (orgId) => ({
      orgId,
      ...rowQueries((query) => shared.query(String(orgId), query)),
      transaction: (work) =>
        turns.take(orgId, () =>
          inTransaction(exclusive, async (client) => {
            const set = client.query({ ...ENTER, values: [String(orgId)] });
            const worked = work({ orgId, ...rowQueries((query) => client.query(query)) });
            return (await Promise.all([worked, set]))[0];
          }),
        ),
    }),
    end: async () => {
      await Promise.all([shared.end(), exclusive.end()]);
    },
  };
}

const ORGANIZATION_ROLE = 'tagtrail_api';

/** Names the organization to the policies until the transaction ends; the condition is never true. */
const ENTER = {
  name: 'enter-organization',
  text: `select from (select set_config('tagtrail.org_id', $1, true) as org_id offset 0) setting where org_id is null`,
};
