/** Parts of questions to the catalog about a table, whose row of `pg_class` they call `relation`. */

/** The tables that it refers to, itself left out. */
export const REFERS_TO = `array(
      select distinct referred.relname::text
      from pg_constraint
      join pg_class referred on referred.oid = confrelid
      where contype = 'f' and conrelid = relation.oid and confrelid <> relation.oid
    ) as refers_to`;

/** The sequences behind its columns. */
export const SEQUENCES = `coalesce((
      select json_agg(json_build_object('column', attname, 'sequence', sequence))
      from pg_attribute
      cross join lateral pg_get_serial_sequence(relation.oid::regclass::text, attname) as sequence
      where attrelid = relation.oid and attnum > 0 and not attisdropped and sequence is not null
    ), '[]')::jsonb as sequences`;

/** Its columns that name an organization, as rows of `pg_attribute`. */
export const OWNER_COLUMNS = `from pg_attribute
    where attrelid = relation.oid and attnum > 0 and not attisdropped and (
      attname = 'org_id' or exists (
        select from pg_constraint
        where contype = 'f' and conrelid = relation.oid and confrelid = 'organizations'::regclass
          and conkey = array[attnum]
      )
    )`;
