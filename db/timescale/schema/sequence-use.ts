import { sql } from '../queries/sql.ts';

/** Share of a sequence's numbers drawn, 0 to 1. */
export interface SequenceUse {
  table: string;
  share: number;
}

/**
 * Selects {@link SequenceUse} of every sequence that the role may read. PostgreSQL may evaluate conditions in any
 * order, and functions of sequences fail for other relations; `materialized` keeps those away.
 */
export const SEQUENCE_USE = sql.fragment`
  with sequences as materialized (
    select sequence.seqrelid as id, sequence.seqmin as least, sequence.seqmax as most, owner.relname::text as table
    from pg_sequence sequence
    join pg_class relation on relation.oid = sequence.seqrelid and relation.relkind = 'S'
    join pg_depend dependency on dependency.classid = 'pg_class'::regclass and dependency.objid = sequence.seqrelid
      and dependency.refclassid = 'pg_class'::regclass and dependency.deptype = 'i' and dependency.refobjsubid > 0
    join pg_class owner on owner.oid = dependency.refobjid
    where relation.relnamespace = 'public'::regnamespace and sequence.seqtypid = 'integer'::regtype
      and owner.relname <> 'live_row_counts'
  ), readable as materialized (
    select * from sequences where has_sequence_privilege(id, 'select')
  )
  select "table", (coalesce(pg_sequence_last_value(id), least - 1) - least + 1)::float8 / (most - least + 1) as share from readable
  order by 2 desc, 1`;
