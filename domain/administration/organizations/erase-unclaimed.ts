import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/**
 * Deletes messages that no reader sent, on topics that readers of the organization had: what they go on sending to a broker after
 * they are deleted. Those of a topic that another organization has, or had, are left. Few topics have wildcards; the others are
 * compared as they are.
 *
 * @returns how many.
 */
export function eraseUnclaimed(db: Connection, orgId: number): Promise<number> {
  return db.exec(sql.type(NO_ROWS)`
    with filter as materialized (
      select topic, bool_or(org_id = ${orgId}) as is_own, bool_or(org_id <> ${orgId}) as is_of_others,
        case when topic ~ '[+#]' then '^' || regexp_replace(
          replace(regexp_replace(topic, '([.^$*?(){}|[\\]\\\\])', '\\\\\\1', 'g'), '+', '[^/]*'), '(^|/)#$', '(\\1.*)?'
        ) || '$' end as pattern
      from readers group by topic
    ), kept as materialized (
      select distinct topic from rejected_messages where coalesce(org_id, 0) = 0
    ), claimed as materialized (
      select kept.topic, filter.is_own, filter.is_of_others from kept join filter on filter.topic = kept.topic
      union all
      select kept.topic, filter.is_own, filter.is_of_others
      from kept join filter on filter.pattern is not null and kept.topic ~ filter.pattern
    )
    delete from rejected_messages where org_id is null and topic in (
      select topic from claimed group by topic having bool_or(is_own) and not bool_or(is_of_others)
    )`);
}
