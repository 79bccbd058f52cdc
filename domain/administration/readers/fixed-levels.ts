import { sql } from '../../../db/timescale/queries/sql.ts';

/**
 * The last of `fixedBeginnings` of a topic, as the index `readers__fixed_levels` has it, of table `reader`: what any look-up of
 * readers by their topic begins with.
 */
export const FIXED_LEVELS = sql.fragment`left(regexp_replace(reader.topic, '(^|/)[+#](/.*)?$', ''), 512) collate "C"`;
