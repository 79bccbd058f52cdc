import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Alerts are counted up to this many. */
export const COUNTED = 100_000;

export interface AlertFigures {
  open: number;
  acknowledged: number;
  /** Seconds since nothing was left to derive; 0 without rules. */
  lag: number;
  /** Organizations that are set aside, the longest first. */
  setAside: readonly number[];
  /** Assets and readers with too much evidence, at most 100 of each, by organization. */
  leftOut: readonly { org: number; count: number }[];
  /** Rules whose alerts wait because too many were raised within an hour, by organization. */
  heldBack: readonly { org: number; rule: string }[];
}

/** For all organizations. 60 ms with 100,000 ongoing alerts, 4 with 10,000 of a million, 1 with few. */
export async function readAlertFigures(db: Connection, most: number): Promise<AlertFigures> {
  const row = await db.one(sql.prepared(
    'read-alert-figures',
    rowsOf<{
      open: number;
      acknowledged: number;
      lag: number;
      set_aside: readonly number[];
      left_out: string;
      held_back: string;
    }>(),
  )`
    select count(*) filter (where state = 'open') as open,
      count(*) filter (where state = 'acknowledged') as acknowledged,
      coalesce((
        select greatest(extract(epoch from clock_timestamp() - caught_up_at), 0)::float8 from alert_derivation
        where exists (select from rules)
      ), 0) as lag,
      array(select org_id from alert_faults order by since, org_id limit ${most}) as set_aside,
      (
        select coalesce(json_agg(json_build_object('org', org_id, 'count', count)), '[]')
        from (
          select org_id, cardinality(left_out_assets) + cardinality(left_out_readers) as count from alert_cursors
          where cardinality(left_out_assets) + cardinality(left_out_readers) > 0 order by org_id limit ${most}
        ) organization
      ) as left_out,
      (
        select coalesce(json_agg(json_build_object('org', org_id, 'rule', rule_id)), '[]')
        from (
          select org_id, rule_id from alert_floods cross join unnest(rule_ids) as waiting (rule_id)
          order by until, org_id, rule_id limit ${most}
        ) rule
      ) as held_back
    from (
      select state from alerts where state in ('open', 'acknowledged') limit ${COUNTED}
    ) alert`);
  const { set_aside: setAside, left_out: leftOut, held_back: heldBack, ...figures } = row;
  return {
    ...figures,
    setAside,
    leftOut: JSON.parse(leftOut) as AlertFigures['leftOut'],
    heldBack: JSON.parse(heldBack) as AlertFigures['heldBack'],
  };
}
