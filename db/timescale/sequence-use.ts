import { sql } from './sql.ts';

/** A sequence of ids that can come to an end, and the share of its numbers that were drawn: 0 to 1. */
export interface SequenceUse {
  table: string;
  share: number;
}

/** Asks for {@link SequenceUse} of every sequence that the role may read. */
export const SEQUENCE_USE = sql.fragment`
  select owner.relname::text as table, coalesce(sequences.last_value, 0)::float8 / sequences.max_value as share
  from pg_sequences sequences
  join pg_depend on objid = format('%I.%I', schemaname, sequencename)::regclass and deptype = 'i' and refobjsubid > 0
  join pg_class owner on owner.oid = refobjid
  where sequences.data_type::text = 'integer' and schemaname = 'public' and owner.relname <> 'live_row_counts'
    and has_sequence_privilege(objid, 'select')
  order by 2 desc, 1`;
