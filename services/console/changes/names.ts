import type { Pool } from '../../../db/timescale/connections/client.ts';
import type { PeopleDoor } from '../../../db/timescale/connections/people-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { LoggedChange } from '../../../domain/changes/list-changes.ts';

interface Named {
  type: string;
  id: string;
  name: string;
}

/** What people call who changed something, and what was changed, by `type id`; also if it is gone by now. */
export type Names = ReadonlyMap<string, string>;

/** Users of a page of changes. Whoever changed something in an organization is no secret to its members. */
export async function namesOfUsers(people: PeopleDoor, changes: readonly LoggedChange[]): Promise<Names> {
  const ids = [...idsOf(changes, ['user'], ['user', 'membership'])].map((id) => Number.parseInt(id, 10));
  const rows = await people.any(sql.type(rowsOf<{ id: number; name: string }>())`
    select id, name from users where id = any(${sql.array(ids.filter(Number.isSafeInteger), 'int4')})`);
  return new Map(rows.map(({ id, name }) => [`user ${id}`, name]));
}

/** Keys, devices, webhooks and rules of an organization. */
export async function namesOfOthers(
  installation: Pool,
  orgId: number,
  changes: readonly LoggedChange[],
): Promise<Names> {
  const isOf = (type: string, resource = type) => sql.array([...idsOf(changes, [type], [resource])], 'text');
  const rows = await installation.any(sql.type(rowsOf<Named>())`
    select 'key' as type, id, name from api_keys where org_id = ${orgId} and id = any(${isOf('key', 'api_key')})
    union all
    select 'handheld', id::text, name from handhelds where org_id = ${orgId} and id::text = any(${isOf('handheld')})
    union all
    select 'reader', id::text, name from readers where org_id = ${orgId} and id::text = any(${isOf('reader')})
    union all
    select 'webhook', id::text, name from webhooks where org_id = ${orgId} and id::text = any(${isOf('webhook')})
    union all
    (select distinct on (id) 'rule', id, name from rules where org_id = ${orgId} and id = any(${isOf('rule')})
    order by id, version desc)`);
  return new Map(rows.map(({ type, id, name }) => [`${type} ${id}`, name]));
}

function idsOf(
  changes: readonly LoggedChange[],
  actors: readonly string[],
  resources: readonly string[],
): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ actor_type, actor_id, resource_type, resource_id }) => [
      ...(actors.includes(actor_type) ? [actor_id] : []),
      ...(resources.includes(resource_type) ? [resource_id] : []),
    ]),
  );
}
