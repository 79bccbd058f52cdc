import { sql } from '../../../db/timescale/queries/sql.ts';

/**
 * The last of `fixedBeginnings` of a topic, as in the index `readers__fixed_levels`: every look-up of readers by topic
 * begins with it.
 */
export const FIXED_LEVELS = sql.fragment`left(regexp_replace(reader.topic, '(^|/)[+#](/.*)?$', ''), 512) collate "C"`;
