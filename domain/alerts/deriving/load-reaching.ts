import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { isOfReadings } from '../rules/rule.ts';
import { type LoadedAlert, loadAlerts } from '../stored/load-alerts.ts';

/** An asset or reader to look at. */
export interface Since {
  id: number;
  since: Micros;
}

/** An asset or reader to look at, with its alerts that reach into the time. */
export interface Reaching {
  id: number;
  /** The instant from which it is looked at. */
  since: Micros;
  /** By rules that need an earlier instant. */
  sinceByRule: ReadonlyMap<string, Micros>;
  /** The same for the earliest rule of the kind `overdue`; this loads all its reads since then. */
  overdueSince: Micros;
  alerts: readonly LoadedAlert[];
}

/**
 * As early as the first alert begins that reaches into the window, so that each is compared as a whole. Separately for
 * each asset, because one that needs a month would slow all others; and for each rule, because the alerts of one may
 * end where another's begin, and so on for a month.
 *
 * @param earliest none begins earlier.
 */
export async function loadReaching(
  db: Connection,
  { orgId, what }: { orgId: number; what: 'asset' | 'reader' },
  wanted: readonly Since[],
  earliest: Micros,
): Promise<Reaching[]> {
  const found = await loadAllReaching(db, { orgId, what }, wanted, earliest);
  return what === 'asset' ? withoutSettled(db, orgId, found) : found;
}

async function loadAllReaching(
  db: Connection,
  { orgId, what }: { orgId: number; what: 'asset' | 'reader' },
  wanted: readonly Since[],
  earliest: Micros,
): Promise<Reaching[]> {
  let found: Reaching[] = wanted.map(({ id, since }) => {
    const from = Math.max(since, earliest);
    return { id, since: from, sinceByRule: new Map(), overdueSince: from, alerts: [] };
  });
  let missing = found;
  while (missing.length > 0) {
    const asked = missing.map((each) => ({ id: each.id, since: sinceOf(each) }));
    const loaded = Map.groupBy(await loadAlerts(db, orgId, what, asked), ({ subjectId }) => subjectId);
    const before = new Map(missing.map((each) => [each.id, each]));
    const reached = missing.map((each) => reaching(each, loaded.get(each.id) ?? [], earliest));
    const now = new Map(reached.map((each) => [each.id, each]));
    found = found.map((each) => now.get(each.id) ?? each);
    missing = reached.filter((each) => sinceOf(each) < sinceOf(before.get(each.id) as Reaching));
  }
  return found;
}

/** Leaves out alerts that ended before the oldest kept raw scan: reads of that time are no longer known. */
async function withoutSettled(
  db: Connection,
  orgId: number,
  found: readonly Reaching[],
): Promise<Reaching[]> {
  const over = found.filter(({ alerts }) => alerts.some(isOver));
  if (over.length === 0) {
    return [...found];
  }
  const rows = await db.any(sql.prepared('oldest-scans', rowsOf<{ id: number; oldest: Micros | null }>())`
    select given.id, micros_of_time((
        select scan.observed_at from scan_events scan
        where scan.org_id = ${orgId} and scan.asset_id = given.id order by scan.observed_at limit 1
      )) as oldest
    from unnest(${sql.binary(integers(over.map(({ id }) => id)))}::integer[]) as given (id)`);
  const oldest = new Map(rows.map(({ id, oldest: at }) => [id, at ?? Number.POSITIVE_INFINITY]));
  return found.map((each) => {
    const from = oldest.get(each.id) ?? Number.NEGATIVE_INFINITY;
    const alerts = each.alerts.filter((alert) => !isOver(alert) || (alert.closedAt ?? 0) > from);
    return { ...each, alerts };
  });
}

function isOver({ kind, closedAt }: LoadedAlert): boolean {
  return kind === 'overdue' && closedAt !== null;
}

/** The instant from which all of it is looked at. */
export function sinceOf({ since, sinceByRule }: Reaching): Micros {
  return leastOf([since, ...sinceByRule.values()]);
}

function reaching({ id, since }: Reaching, alerts: readonly LoadedAlert[], earliest: Micros): Reaching {
  const sinceByRule = new Map<string, Micros>();
  let overdueSince = since;
  for (const [ruleId, own] of Map.groupBy(alerts, (alert) => alert.ruleId)) {
    // A tag may have many readings in all that time; the alert itself tells what held before.
    const begun = own.some(isOfReadings) ? since : Math.max(earliest, beginOf(own, since));
    if (begun < since) {
      sinceByRule.set(ruleId, begun);
      overdueSince = own[0]?.kind === 'overdue' ? Math.min(overdueSince, begun) : overdueSince;
    }
  }
  return { id, since, sinceByRule, overdueSince, alerts };
}

/** The beginning of the first alert that reaches into a time, or into one of these. */
function beginOf(alerts: readonly LoadedAlert[], since: Micros): Micros {
  let first = since;
  for (const alert of alerts.toSorted((a, b) => endOf(b) - endOf(a))) {
    if (endOf(alert) < first) {
      break;
    }
    first = Math.min(first, alert.openedAt);
  }
  return first;
}

function endOf({ closedAt }: LoadedAlert): Micros {
  return closedAt ?? Number.MAX_SAFE_INTEGER;
}

/** The alerts that had not ended by then. */
export function reachingTo<Alert extends Pick<LoadedAlert, 'closedAt'>>(
  since: Micros,
  alerts: readonly Alert[],
): Alert[] {
  return alerts.filter(({ closedAt }) => closedAt === null || closedAt >= since);
}
