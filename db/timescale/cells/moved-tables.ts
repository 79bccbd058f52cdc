import pg from 'pg';
import { inReferenceOrder, OWNER_COLUMNS, REFERS_TO, SEQUENCES } from '../copy/tables.ts';

export interface Column {
  name: string;
  identifier: string;
  type: string;
}

/** A table whose rows of an organization go with it. */
export interface MovedTable {
  name: string;
  identifier: string;
  columns: readonly Column[];
  /** Its rows are an organization's by one of these. */
  owners: readonly string[];
  /** The columns of its primary key; null if it has none. */
  key: readonly string[] | null;
  /** The table itself or, for a hypertable, its chunks, as `schema.name`. */
  parts: readonly string[];
  /** Identities drawn from sequences. */
  sequences: readonly { column: string; sequence: string }[];
}

/** Publishing over MQTT belongs to a cell's broker and starts over at the other; the move itself belongs to both cells. */
const STAY = ['cell_moves', 'mqtt_feeds', 'mqtt_outdated', 'mqtt_topics', 'publishing_faults'];

/** Every table with rows of organizations, from the catalog, referenced tables first; without `organizations`. */
export async function movedTables(client: pg.ClientBase): Promise<readonly MovedTable[]> {
  const { rows } = await client.query<TableRow>(TABLES, [STAY]);
  const names = new Set(rows.map(({ name }) => name));
  const known = rows.map((row) => ({ ...row, refers_to: row.refers_to.filter((name) => names.has(name)) }));
  return inReferenceOrder(known).map(({ name, columns, owners, key, parts, sequences }) => ({
    name,
    identifier: pg.escapeIdentifier(name),
    columns: columns.map((column) => ({ ...column, identifier: pg.escapeIdentifier(column.name) })),
    owners,
    key,
    parts,
    sequences,
  }));
}

/** The condition of an organization's rows, without parameters: publications and cursors take none. */
export function ownedBy({ owners }: Pick<MovedTable, 'owners'>, orgId: number): string {
  return `(${owners.map((owner) => `${pg.escapeIdentifier(owner)} = ${Number(orgId)}`).join(' or ')})`;
}

interface TableRow {
  name: string;
  refers_to: string[];
  columns: { name: string; type: string }[];
  owners: string[];
  key: string[] | null;
  parts: string[];
  sequences: { column: string; sequence: string }[];
}

const TABLES = `with recursive part (root, id) as (
    select oid, oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    union all
    select part.root, inhrelid from part join pg_inherits on inhparent = part.id
  )
  select relation.relname::text as name, owner.names as owners,
    ${REFERS_TO},
    (
      select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
      from pg_attribute where attrelid = relation.oid and attnum > 0 and not attisdropped
    )::jsonb as columns,
    (
      select array_agg(attname::text) from pg_constraint
      join pg_attribute on attrelid = conrelid and attnum = any(conkey)
      where conrelid = relation.oid and contype = 'p'
    ) as key,
    array(
      select format('%I.%I', nspname, relname) from part
      join pg_class on pg_class.oid = part.id join pg_namespace on pg_namespace.oid = relnamespace
      where part.root = relation.oid order by 1
    ) as parts,
    ${SEQUENCES}
  from pg_class relation
  cross join lateral (
    select array_agg(attname::text order by attnum) as names
    ${OWNER_COLUMNS}
  ) owner
  where relation.relnamespace = 'public'::regnamespace and relation.relkind in ('r', 'p')
    and relation.relname <> 'organizations' and relation.relname <> all($1::text[]) and owner.names is not null
  order by name`;
