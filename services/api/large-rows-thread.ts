import { move } from 'piscina';
import { writeJson } from '../../base/json/json-text.ts';
import {
  type OrganizationConnection,
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { readAssets } from '../../domain/master-data/assets/queries.ts';
import type { Keyed } from '../../domain/master-data/by-id-or-key.ts';
import { readLocations } from '../../domain/master-data/locations/queries.ts';
import { assetView } from './assets/view.ts';
import { locationView } from './locations/view.ts';
import type { LargeRowsTask } from './serving/large-rows.ts';

type Reader = (
  connection: OrganizationConnection,
  ids: readonly number[],
) => Promise<readonly { id: number; deleted_at: string | null }[]>;

const READ: Record<Keyed, Reader> = {
  asset: async (connection, ids) => (await readAssets(connection, ids)).map(assetView),
  location: async (connection, ids) => (await readLocations(connection, ids)).map(locationView),
};

let door: OrganizationDoor | null = null;

/** {@link ReadLargeRows} */
export async function readLargeRows(task: LargeRowsTask): Promise<unknown> {
  const { url, timeout, orgId, resource, ids, onlyLive } = task;
  door ??= openOrganizationDoor(url, {
    max: 2,
    applicationName: 'tagtrail api large rows',
    scanTimeout: timeout,
  });
  const connection = door.of(orgId).listing({ isBrief: false, signal: undefined });
  const read = await READ[resource](connection, ids);
  const wanted = onlyLive ? read.filter((row) => row.deleted_at === null) : read;
  const found = new Map(wanted.map((row) => [row.id, row]));
  const rows = ids.flatMap((id) => found.get(id) ?? []).map(writeJson);
  // A buffer of its own, which can be transferred.
  return move(new TextEncoder().encode(rows.join(',')));
}
