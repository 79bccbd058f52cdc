import { sql } from '../../db/timescale/queries/sql.ts';

/**
 * The last of `fixedBeginnings` of a topic, as in the index `readers__fixed_levels`: every look-up of readers by topic
 * begins with it.
 */
export const FIXED_LEVELS = sql.fragment`left(regexp_replace(reader.topic, '(^|/)[+#](/.*)?$', ''), 512) collate "C"`;

/** Tables `reader` and `organization`, for a from clause. */
export const LIVE_READERS = sql.fragment`readers reader
    join organizations organization on organization.id = reader.org_id
      and organization.deleted_at is null and reader.deleted_at is null`;
