import pg from 'pg';
import { append } from '../../../base/append.ts';
import { AppError } from '../../../base/errors.ts';
import { type MovedTable, ownedBy } from './moved-tables.ts';
import { strangersByAddress } from './moved-users.ts';

export interface MovedOrganization {
  orgId: number;
  /** It moves although messages about its assets are retained at the broker. */
  leavesPublished: boolean;
  /** Ingestion is set to take from an external broker. */
  hasBroker: boolean;
}

/** Refuses an impossible move before it begins. @throws AppError `conflict`, `not_found`. */
export async function requireMovable(
  from: pg.ClientBase,
  to: pg.ClientBase,
  { tables, ...organization }: MovedOrganization & { tables: readonly MovedTable[] },
): Promise<void> {
  const { orgId } = organization;
  await requireCells(from, to);
  await requireOrganization(from, organization);
  const { rows: there } = await to.query<{ name: string; has_left: boolean }>(
    `select name, exists (select from cell_moves where org_id = $1 and state = 'left') as has_left
     from organizations where id = $1`,
    [orgId],
  );
  refuseIf(
    there[0]?.has_left === true,
    `The other cell still has a copy of organization ${orgId} from before it moved away; erase that first: org erase`,
  );
  refuseIf(
    there.length > 0,
    `The other cell has an organization ${orgId} of its own, ${there[0]?.name}. Cells draw different ids once each has its number: cell number`,
  );
  const strangers = await strangersByAddress(from, to, orgId);
  refuseIf(
    strangers.length > 0,
    `${strangers.join(', ')}: people with another account at the other cell. Remove them from organization ${orgId}, and invite them again once it is there`,
  );
  const taken = await takenNames(from, to, tables, orgId);
  refuseIf(
    taken.length > 0,
    `The other cell has some of its names already (${taken.join('; ')}). Cells draw different ids once each has its number: cell number`,
  );
}

async function requireCells(from: pg.ClientBase, to: pg.ClientBase): Promise<void> {
  const [here, there] = await Promise.all([cellOf(from), cellOf(to)]);
  refuseIf(
    here.identity === there.identity,
    '--to names the database that the organization is in; name the other cell',
  );
  refuseIf(
    here.wal_level !== 'logical',
    `The server of this cell has wal_level = ${here.wal_level}; set wal_level = logical, and restart it`,
  );
  refuseIf(
    !here.may_replicate,
    'The user of this database may not replicate: alter role ... replication, as an administrator of the server',
  );
  refuseIf(
    !there.may_set,
    'The user of the database at --to may not set session_replication_role: grant set on parameter session_replication_role to ..., as an administrator of the server',
  );
  refuseIf(
    here.migrations !== there.migrations,
    'The two cells have different versions; upgrade both to the same one first',
  );
  const [number, otherNumber] = await Promise.all([numberOf(from), numberOf(to)]);
  refuseIf(
    number === null || otherNumber === null || number === otherNumber,
    `Each cell needs a number of its own; this one has ${number ?? 'none'}, the other ${otherNumber ?? 'none'}: cell number --set`,
  );
}

interface Cell {
  identity: string;
  wal_level: string;
  may_replicate: boolean;
  may_set: boolean;
  migrations: string;
}

async function cellOf(client: pg.ClientBase): Promise<Cell> {
  const { rows } = await client.query<Cell>(
    `select (select system_identifier from pg_control_system()) || '/' ||
         (select oid from pg_database where datname = current_database()) as identity,
       current_setting('wal_level') as wal_level, rolreplication or rolsuper as may_replicate,
       has_parameter_privilege('session_replication_role', 'set') as may_set,
       (select string_agg(name, ',' order by name) from schema_migrations) as migrations
     from pg_roles where rolname = current_user`,
  );
  const [cell] = rows;
  if (cell === undefined) {
    throw new Error('the session has no role');
  }
  return cell;
}

async function numberOf(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ number: number | null }>('select cell_number() as number');
  return rows[0]?.number ?? null;
}

async function requireOrganization(
  from: pg.ClientBase,
  { orgId, leavesPublished, hasBroker }: MovedOrganization,
): Promise<void> {
  const { rows } = await from.query<{ by_broker: number; topics: number }>(
    // Ingestion notes its sessions at a broker, also at RabbitMQ's queues.
    `select
       (
         select count(*) from readers reader
         where reader.org_id = $1 and reader.deleted_at is null and (
           $2 or (select max(greatest(connected_at, held_until)) from broker_sessions)
             >= coalesce(reader.last_used_at, '-infinity')
         )
       )::integer as by_broker,
       (select count(*) from mqtt_topics where org_id = $1 and digest is distinct from ''::bytea)::integer as topics
     from organizations where id = $1 and (deleted_at is null or held_at is not null)`,
    [orgId, hasBroker],
  );
  const [found] = rows;
  if (found === undefined) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  refuseIf(
    found.by_broker > 0,
    `Readers of organization ${orgId} (${found.by_broker}) publish to a broker of your own, by MQTT or from the queues of RabbitMQ: messages that wait there would stay behind. Only readers that have signed in at the embedded broker since can follow; delete the others here first, and create them in the other cell afterwards`,
  );
  refuseIf(
    found.topics > 0 && !leavesPublished,
    `Messages about ${found.topics} of its assets are retained at the broker of this cell; give --leave-published if nobody reads them there`,
  );
}

/** Names and ids that are unique in a cell, and are there already. */
async function takenNames(
  from: pg.ClientBase,
  to: pg.ClientBase,
  tables: readonly MovedTable[],
  orgId: number,
): Promise<string[]> {
  const taken: string[] = [];
  for (const table of tables) {
    for (const columns of await uniqueInCell(from, table)) {
      const names = columns.map((column) => pg.escapeIdentifier(column));
      const { rows } = await from.query<{ name: string }>(
        `select json_build_array(${names.join(', ')})::text as name from ${table.identifier} where ${ownedBy(table, orgId)}`,
      );
      const there = await to.query<{ name: string }>(
        `select unnest($1::text[]) as name intersect
         select json_build_array(${names.join(', ')})::text from ${table.identifier} limit 3`,
        [rows.map(({ name }) => name)],
      );
      append(
        taken,
        there.rows.map(({ name }) => `${table.name}: ${columns.join(', ')} ${name.slice(1, -1)}`),
      );
    }
  }
  return taken;
}

/** The columns of each key that does not begin with the organization. */
async function uniqueInCell(client: pg.ClientBase, { identifier, owners }: MovedTable): Promise<string[][]> {
  const { rows } = await client.query<{ columns: string[] }>(
    `select array(
       select attname::text from unnest(indkey::smallint[]) as key
       join pg_attribute on attrelid = indrelid and attnum = key
     ) as columns
     from pg_index where indrelid = $1::regclass and indisunique and indpred is null and indexprs is null`,
    [identifier],
  );
  return rows
    .map(({ columns }) => columns)
    .filter((columns) => !columns.some((each) => owners.includes(each)));
}

function refuseIf(condition: boolean, message: string): void {
  if (condition) {
    throw new AppError('conflict', message);
  }
}
