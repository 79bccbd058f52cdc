import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import { type RowQuery, toConfig } from '../../db/timescale/queries/sql.ts';
import { findLiveAsset } from '../../domain/master-data/assets/queries.ts';

/** The statement that looks an asset up by its id, taken from the code that sends it. */
export function lookUp(orgId: number): { name: string; text: string; valuesOf(id: number): unknown[] } {
  const sent: RowQuery<unknown>[] = [];
  const connection = {
    orgId,
    maybeOne: async (query: RowQuery<unknown>) => {
      sent.push(query);
      return null;
    },
  } as unknown as OrganizationConnection;
  const probe = 1_234_567;
  findLiveAsset(connection, probe);
  const [query] = sent;
  if (query === undefined) {
    throw new Error('the look-up sends no statement');
  }
  return {
    name: query.name ?? 'look-up',
    text: toConfig(query).text,
    valuesOf: (id) => query.values.map((value) => (value === probe ? id : value)),
  };
}
