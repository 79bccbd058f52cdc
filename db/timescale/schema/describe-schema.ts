import type pg from 'pg';

/**
 * Readable SQL: for each table its columns, constraints, indexes and triggers, then views and functions. Objects of
 * extensions are left out, so the text is the same with and without TimescaleDB.
 */
export async function describeSchema(client: pg.ClientBase): Promise<string> {
  const tables = await client.query<TableRow>(TABLES);
  const views = await client.query<{ definition: string }>(VIEWS);
  const functions = await client.query<{ definition: string }>(FUNCTIONS);
  const blocks = [
    ...tables.rows.map(describeTable),
    ...views.rows.map(({ definition }) => definition),
    ...functions.rows.map(({ definition }) => `${definition};`),
  ];
  return `${HEADER}\n${blocks.map((block) => block.trim()).join('\n\n')}\n`;
}

const HEADER = `-- Generated from the migrations by \`npm run schema\`; for reading, never run.\n`;

interface TableRow {
  name: string;
  options: string | null;
  columns: string[];
  constraints: string[];
  indexes: string[];
  triggers: string[];
}

function describeTable({ name, options, columns, constraints, indexes, triggers }: TableRow): string {
  const inside = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
  const head = `create table ${name} (\n${inside}\n)${options === null ? '' : ` with (${options})`};`;
  return [head, ...[...indexes, ...triggers].map((line) => `${line};`)].join('\n');
}

const OWN = (objectId: string, catalog: string) => `not exists (
    select from pg_depend dependency
    where dependency.classid = '${catalog}'::regclass and dependency.objid = ${objectId} and dependency.deptype = 'e')`;

const TABLES = `select class.relname as name, array_to_string(class.reloptions, ', ') as options,
  array(
    select concat_ws(' ', attribute.attname, format_type(attribute.atttypid, attribute.atttypmod),
      case when attribute.attcollation not in (0, type.typcollation)
        then 'collate ' || quote_ident((select collname from pg_collation where oid = attribute.attcollation)) end,
      case when attribute.attidentity <> '' then 'generated always as identity' end,
      case when attribute.attnotnull then 'not null' end,
      'default ' || pg_get_expr(value.adbin, value.adrelid))
    from pg_attribute attribute join pg_type type on type.oid = attribute.atttypid
    left join pg_attrdef value on value.adrelid = attribute.attrelid and value.adnum = attribute.attnum
    where attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
    order by attribute.attnum
  ) as columns,
  array(
    select 'constraint ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where conrelid = class.oid and contype <> 'n' order by contype <> 'p', conname
  ) as constraints,
  array(
    select pg_get_indexdef(indexrelid) from pg_index
    where indrelid = class.oid and not exists (select from pg_constraint where conindid = indexrelid)
    order by indexrelid::regclass::text
  ) as indexes,
  array(
    select pg_get_triggerdef(oid) from pg_trigger
    where tgrelid = class.oid and not tgisinternal and tgname not like 'ts\\_%' order by tgname
  ) as triggers
  from pg_class class
  where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and ${OWN('class.oid', 'pg_class')}
  order by class.relname`;

const VIEWS = `select format('create view %s with (%s) as', relname, array_to_string(reloptions, ', ')) || E'\\n'
    || pg_get_viewdef(oid) as definition
  from pg_class class
  where relnamespace = 'public'::regnamespace and relkind = 'v' and ${OWN('class.oid', 'pg_class')}
  order by relname`;

const FUNCTIONS = `select pg_get_functiondef(proc.oid) as definition from pg_proc proc
  where proc.pronamespace = 'public'::regnamespace and ${OWN('proc.oid', 'pg_proc')}
  order by proc.proname`;
