import { wireTime } from '../../base/timestamps.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, isOf, ok, warning } from './finding.ts';

/** Seconds after which nobody seems to derive, and after which alerts are late. */
const GONE = 30;
const LATE = 60;

/** Organizations named one by one. */
const MOST_NAMED = 10;

/** Checks whether alerts are derived from rules, and up to when, and names organizations for which they cannot be. */
export async function examineAlerts(db: Connection): Promise<Finding[]> {
  const special = [
    ...(await examineSetAsideAlerts(db)),
    ...(await examineLeftOut(db)),
    ...(await examineFloods(db)),
  ];
  const rest = await examineDeriving(db);
  return special.length > 0 && rest.status === 'ok' ? special : [...special, rest];
}

/** Names organizations whose alerts wait because deriving them fails. */
export async function examineSetAsideAlerts(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await db.any(sql.type(
    rowsOf<{ org_id: number; name: string | null; reason: string; minutes: number }>(),
  )`
    select fault.org_id, organization.name, fault.reason,
      floor(extract(epoch from clock_timestamp() - fault.derived_to) / 60)::integer as minutes
    from alert_faults fault
    left join organizations organization on organization.id = fault.org_id
    where ${isOf(sql.fragment`fault.org_id`, orgId)}
    order by fault.since, fault.org_id limit ${MOST_NAMED}`);
  return rows.map(({ org_id: id, name, reason, minutes }) =>
    fault(
      'alerts',
      `Organization ${id} (${name ?? 'unknown'}): its alerts cannot be derived (${reason}) and are ${minutes} minutes old; other organizations are not affected`,
      `Report this with the output of ${TAGTRAIL} rule list --org ${id} --json; once mended, missing alerts follow within minutes`,
      { what: 'look_at_rules', id: null },
    ),
  );
}

/** Names assets and readers whose alerts are not derived, as there is too much evidence of them. */
export async function examineLeftOut(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await db.any(sql.type(
    rowsOf<{ org_id: number; name: string | null; count: number; assets: string[]; readers: string[] }>(),
  )`
    select cursor.org_id, organization.name,
      cardinality(left_out_assets) + cardinality(left_out_readers) as count,
      array(
        select external_key from assets where assets.org_id = cursor.org_id and id = any (left_out_assets)
        order by id limit ${MOST_NAMED}
      ) as assets,
      array(
        select readers.name from readers where readers.org_id = cursor.org_id and id = any (left_out_readers)
        order by id limit ${MOST_NAMED}
      ) as readers
    from alert_cursors cursor
    left join organizations organization on organization.id = cursor.org_id
    where cardinality(left_out_assets) + cardinality(left_out_readers) > 0 and ${isOf(sql.fragment`cursor.org_id`, orgId)}
    order by cursor.org_id limit ${MOST_NAMED}`);
  return rows.map(({ org_id: id, name, count, assets, readers }) => {
    const named = [...assets.map((key) => `asset ${key}`), ...readers.map((reader) => `reader ${reader}`)];
    const more = count > named.length ? ` and ${count - named.length} more` : '';
    return warning(
      'alerts',
      `Organization ${id} (${name ?? 'unknown'}): alerts of these are not derived, as they moved, or connected, too often within a month: ${named.join(', ')}${more}`,
      `Decide by strength on the locations between which they move (${TAGTRAIL} locate try --org ${id}), or remove rules; they are tried again every hour`,
      { what: 'look_at_rules', id: null },
    );
  });
}

/** Names organizations that reached their hourly limit of alerts, with the rules whose alerts wait. */
export async function examineFloods(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await db.any(sql.type(
    rowsOf<{ org_id: number; name: string | null; until: string; rules: string[]; rule_count: number }>(),
  )`
    select flood.org_id, organization.name, flood.until::text, cardinality(flood.rule_ids) as rule_count,
      array(
        select (
          select rule.name from rules rule where rule.org_id = flood.org_id and rule.id = waiting.rule_id
          order by rule.version desc limit 1
        )
        from unnest(flood.rule_ids) with ordinality as waiting (rule_id, place)
        order by place limit ${MOST_NAMED}
      ) as rules
    from alert_floods flood
    left join organizations organization on organization.id = flood.org_id
    where ${isOf(sql.fragment`flood.org_id`, orgId)}
    order by flood.until, flood.org_id limit ${MOST_NAMED}`);
  return rows.map(({ org_id: id, name, until, rules, rule_count: count }) => {
    const named = `${rules.join(', ')}${count > rules.length ? ` and ${count - rules.length} more` : ''}`;
    return warning(
      'alerts',
      `Organization ${id} (${name ?? 'unknown'}) raised the maximum of alerts within an hour; further alerts of these rules follow from ${wireTime(until)} on: ${named}`,
      `Narrow these rules by a location, assets or a longer time, or remove them: ${TAGTRAIL} rule list --org ${id}`,
      { what: 'look_at_rules', id: null },
    );
  });
}

async function examineDeriving(db: Connection): Promise<Finding> {
  const { has_rules, open_count, idle, behind } = await db.one(sql.type(
    rowsOf<{ has_rules: boolean; open_count: number; idle: number | null; behind: number | null }>(),
  )`
    select exists (select from rules) as has_rules,
      (select count(*) from alerts where state in ('open', 'acknowledged')) as open_count,
      extract(epoch from clock_timestamp() - derived_at)::float8 as idle,
      extract(epoch from clock_timestamp() - caught_up_at)::float8 as behind
    from (select) always left join alert_derivation on true`);
  if (!has_rules) {
    return ok('alerts', 'No rules');
  }
  if (idle === null || idle > GONE) {
    return fault(
      'alerts',
      'No process derives them',
      'Start a worker; if it cannot derive them, its log says why',
    );
  }
  return behind !== null && behind > LATE
    ? warning(
        'alerts',
        `They are ${Math.round(behind)} seconds behind`,
        'Wait: after a start or a change of rules all assets are checked once; if it lasts, the database is too slow',
      )
    : ok('alerts', `${open_count} are not over`);
}
