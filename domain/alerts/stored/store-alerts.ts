import { monotonicFactory } from 'ulid';
import { append } from '../../../base/append.ts';
import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { slicesOf } from '../../../base/slices-of.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { integers, texts, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Because } from '../conditions/stretch.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { AlertDifference, FoundStretch } from './alert.ts';
import { noteFlood, roomFor } from './floods.ts';
import type { Room } from './room.ts';

type Subject = { assetId: number; readerId: null } | { assetId: null; readerId: number };

export const assetSubject = (assetId: number): Subject => ({ assetId, readerId: null });

export const readerSubject = (readerId: number): Subject => ({ assetId: null, readerId });

export interface SubjectDifference extends AlertDifference {
  orgId: number;
  subject: Subject;
  /** All versions, in order. */
  versions: readonly DatedRule[];
}

/** Alerts in a statement: each is an event of the feed, too. */
const AT_ONCE = 2_000;

/**
 * Writes the differences; a trigger writes the events. Ended alerts come first, because a rule may have one open alert
 * at a time.
 */
export async function storeDifferences(
  db: Connection,
  differences: readonly SubjectDifference[],
): Promise<void> {
  const withdrawn = differences.flatMap(({ orgId, withdrawn: ids }) => ids.map((id) => ({ orgId, id })));
  const changed = differences.flatMap(({ orgId, changed: alerts }) =>
    alerts.map((alert) => ({ orgId, ...alert })),
  );
  const opened = differences.flatMap(({ opened: stretches, ...of }) =>
    stretches.map((stretch) => ({ ...of, stretch })),
  );
  for (const some of slicesOf(withdrawn, AT_ONCE)) {
    await withdraw(db, some);
  }
  const [over, others] = [changed.filter(isOver), changed.filter((each) => !isOver(each))];
  for (const some of [...slicesOf(over, AT_ONCE), ...slicesOf(others, AT_ONCE)]) {
    await change(db, some);
  }
  for (const some of await withinBounds(db, opened)) {
    await open(db, some);
  }
}

/** The alerts that may be raised now, in pieces. */
async function withinBounds(db: Connection, alerts: readonly Opened[]): Promise<Opened[][]> {
  const raised: Opened[] = [];
  for (const [orgId, own] of Map.groupBy(alerts, (alert) => alert.orgId)) {
    const room = await roomFor(db, orgId, own.length);
    const { within, beyond } = room === null ? { within: own, beyond: [] } : shareOut(room, own);
    append(raised, within);
    if (beyond.length > 0) {
      const ruleIds = new Set(beyond.map(ruleOf));
      await noteFlood(db, orgId, [...ruleIds], leastOf(beyond.map(({ stretch }) => stretch.since)));
    }
  }
  return [...slicesOf(raised, AT_ONCE)];
}

/** Ongoing alerts go first, and rules with few alerts before those with many. */
function shareOut(room: Room, alerts: readonly Opened[]): { within: Opened[]; beyond: Opened[] } {
  const isPast = ({ stretch }: Opened) => stretch.until !== null;
  const groups = [...Map.groupBy(alerts, (alert) => `${isPast(alert)} ${ruleOf(alert)}`).values()];
  const within: Opened[] = [];
  const beyond: Opened[] = [];
  const inOrder = groups
    .map((group) => ({ group, of: group[0] as Opened }))
    .sort((a, b) => Number(isPast(a.of)) - Number(isPast(b.of)) || a.group.length - b.group.length);
  for (const { group, of } of inOrder) {
    const taken = room.take(ruleOf(of), isPast(of) ? 'over' : 'holding', group.length);
    append(within, group.slice(0, taken));
    append(beyond, group.slice(taken));
  }
  return { within, beyond };
}

function ruleOf({ versions, stretch }: Opened): string {
  return versionAt(versions, stretch.since).ruleId;
}

async function withdraw(db: Connection, alerts: readonly { orgId: number; id: string }[]): Promise<void> {
  await db.exec(sql.prepared('withdraw-alerts', NO_ROWS)`
    update alerts set state = 'withdrawn'
    from unnest(${orgIds(alerts)}::integer[], ${sql.binary(texts(alerts.map(({ id }) => id)))}::text[])
      as given (org_id, id)
    where alerts.org_id = given.org_id and alerts.id = given.id`);
}

type Changed = AlertDifference['changed'][number] & { orgId: number };

function isOver({ state }: Changed): boolean {
  return state === 'closed';
}

async function change(db: Connection, alerts: readonly Changed[]): Promise<void> {
  await db.exec(sql.prepared('change-alerts', NO_ROWS)`
    update alerts set state = given.state, opened_at = given.opened_at, closed_at = given.closed_at,
      level = given.level, alarm_at = given.alarm_at, location_id = given.location_id, because = given.because::json,
      -- One that is open again is new to everybody, also to who had taken notice of it.
      acknowledged_at = case when given.state <> 'open' then alerts.acknowledged_at end,
      acknowledged_by = case when given.state <> 'open' then alerts.acknowledged_by end
    from unnest(${orgIds(alerts)}::integer[], ${sql.binary(texts(alerts.map(({ id }) => id)))}::text[],
      ${sql.binary(texts(alerts.map(({ state }) => state)))}::text[], ${times(alerts, ({ since }) => since)}::timestamptz[],
      ${times(alerts, ({ until }) => until)}::timestamptz[], ${levels(alerts)}::text[],
      ${times(alerts, ({ alarmSince }) => alarmSince)}::timestamptz[], ${locations(alerts)}::integer[],
      ${reasons(alerts)}::text[])
      as given (org_id, id, state, opened_at, closed_at, level, alarm_at, location_id, because)
    where alerts.org_id = given.org_id and alerts.id = given.id`);
}

type Opened = Pick<SubjectDifference, 'orgId' | 'subject' | 'versions'> & { stretch: FoundStretch };

async function open(db: Connection, alerts: readonly Opened[]): Promise<void> {
  // One random number for all of a millisecond: it is what takes longest otherwise.
  const nextId = monotonicFactory();
  const rules = alerts.map(({ versions, stretch }) => versionAt(versions, stretch.since));
  await db.exec(sql.prepared('open-alerts', NO_ROWS)`
    insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, reader_id, state, opened_at,
      closed_at, level, alarm_at, location_id, because)
    select given.org_id, given.id, rule_id, rule_valid_from, rule_name, kind, asset_id, reader_id,
      case when closed_at is null then 'open' else 'closed' end, opened_at, closed_at, level, alarm_at, location_id,
      because::json
    from unnest(${orgIds(alerts)}::integer[], ${sql.binary(texts(alerts.map(() => nextId())))}::text[],
      ${sql.binary(texts(rules.map(({ ruleId }) => ruleId)))}::text[],
      ${sql.binary(timestamps(rules.map(({ from }) => from)))}::timestamptz[],
      ${sql.binary(texts(rules.map(({ name }) => name)))}::text[],
      ${sql.binary(texts(rules.map(({ kind }) => kind)))}::text[],
      ${sql.binary(integers(alerts.map(({ subject }) => subject.assetId)))}::integer[],
      ${sql.binary(integers(alerts.map(({ subject }) => subject.readerId)))}::integer[],
      ${times(alerts, ({ since }) => since)}::timestamptz[], ${times(alerts, ({ until }) => until)}::timestamptz[],
      ${levels(alerts)}::text[], ${times(alerts, ({ alarmSince }) => alarmSince)}::timestamptz[],
      ${locations(alerts)}::integer[], ${reasons(alerts)}::text[])
      as given (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, reader_id, opened_at, closed_at, level,
        alarm_at, location_id, because)
    order by given.org_id, opened_at, given.id`);
}

function versionAt(versions: readonly DatedRule[], at: Micros): DatedRule {
  return (versions.findLast(({ from }) => from <= at) ?? versions[0]) as DatedRule;
}

type Of = readonly { stretch: FoundStretch }[];

const orgIds = (of: readonly { orgId: number }[]) => sql.binary(integers(of.map(({ orgId }) => orgId)));
const times = (of: Of, pick: (stretch: FoundStretch) => Micros | null) =>
  sql.binary(timestamps(of.map(({ stretch }) => pick(stretch))));

const levels = (of: Of) => sql.binary(texts(of.map(({ stretch }) => stretch.level)));
const locations = (of: Of) => sql.binary(integers(of.map(({ stretch }) => stretch.locationId)));
const reasons = (of: Of) => sql.binary(texts(of.map(({ stretch }) => stretch.because)));

/** The reason for an alert, as stored and sent. */
export function toldBecause(because: Because): string {
  switch (because.kind) {
    case 'overdue':
      return JSON.stringify({
        state: because.state,
        location_id: because.locationId,
        last_seen: wireTimeOfMicros(because.lastSeen),
        sweep_id: because.sweepId,
      });
    case 'reading':
    case 'battery_low':
      return JSON.stringify({
        ...{ reading: because.reading, above: because.above, below: because.below, value: because.value },
        ...{ tag_id: because.tagId, location_id: because.locationId ?? undefined },
        from: wireTimeOfMicros(because.from),
      });
    case 'reader':
      return JSON.stringify({ state: because.state, from: wireTimeOfMicros(because.from) });
    default:
      return JSON.stringify({ location_id: because.locationId, from: wireTimeOfMicros(because.from) });
  }
}

export function locationIn(because: Because): number | null {
  return because.kind === 'reader' ? null : because.locationId;
}
