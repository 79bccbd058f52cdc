import { required } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { findLiveByKeys, type Keyed } from '../by-id-or-key.ts';
import type { FileNotes } from './read-rows.ts';

const GROUP = 1_000;

/** Notes faulty rows that also lack a name: those with an unused key. */
export async function refuseNameless(
  transaction: OrganizationConnection,
  resource: Keyed,
  { nameless, problems }: FileNotes,
): Promise<void> {
  const keys = [...nameless.keys()];
  for (let at = 0; at < keys.length; at += GROUP) {
    const group = keys.slice(at, at + GROUP);
    const found = new Set(
      (await findLiveByKeys(transaction, resource, transaction.orgId, group)).map(
        ({ external_key }) => external_key,
      ),
    );
    for (const key of group.filter((each) => !found.has(each))) {
      problems.note(nameless.get(key) ?? 0, [required('name')]);
    }
  }
}
