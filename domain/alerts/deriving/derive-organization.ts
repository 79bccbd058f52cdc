import { TooMuchWork } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { hasRulesOfReadings, measuringTags } from '../conditions/load-measured.ts';
import type { Subtrees } from '../conditions/load-subtrees.ts';
import { isNamed } from '../conditions/selected-times.ts';
import { type DatedRule, isOfReadings } from '../rules/rule.ts';
import { derive } from './derive-in-parts.ts';
import type { Looked } from './derive-subjects.ts';
import { hearAgain } from './hear-again.ts';
import { KnownSubtrees } from './known-subtrees.ts';
import { dueLater, isDue, newWork, type Organization, takeDue, type Work } from './organization.ts';
import type { ReadAgain } from './read-again.ts';
import { type Behind, type ChangedHistory, forget, revisedHistory, takeMoves } from './read-moves.ts';
import { putOff, spreadRevisions, takeRevisions } from './revisions.ts';
import { areOfReadings, loadRulesOf } from './rules-of-organization.ts';

export interface Derived {
  /** False if it was deleted, or its rules ended long ago. */
  hasRules: boolean;
  /** There was more than goes into a turn. */
  isBehind: boolean;
  /** An alert was opened, changed, or withdrawn. */
  isChanged: boolean;
  /** Assets and readers with too much evidence. */
  unknown: Unknown[];
}

export interface Unknown {
  orgId: number;
  what: 'asset' | 'reader';
  id: number;
}

interface Wanted {
  /** Evidence of later reads may be incomplete. */
  now: Micros;
  /** The instant from which everything was looked at once. */
  since: Micros;
  /** Assets of each source. */
  share: number;
  /** Part of the feed; null if nothing is new there. */
  feed: Behind | null;
  /** There are revisions. */
  isRevised: boolean;
  /** Overdue assets that were read again. */
  again: readonly ReadAgain[];
  /** Locations with news from readers. */
  heard: ReadonlySet<number> | undefined;
  /** Whether the turn takes long by now. */
  isLate(): boolean;
}

/** An organization's part of a turn. */
export async function deriveOrganization(
  db: Connection,
  orgId: number,
  organization: Organization,
  { now, since, share: most, feed, isRevised, again, heard, isLate }: Wanted,
): Promise<Derived> {
  const share = Math.min(most, organization.share);
  const spread = isRevised ? await spreadRevisions(db, orgId, { now, isLate }) : NOT_SPREAD;
  if ((spread.isWhole || organization.isRevised) && !(await reloadRules(db, orgId, organization, now))) {
    await forget(db, orgId);
    return { hasRules: false, isBehind: false, isChanged: false, unknown: [] };
  }
  if (spread.isOfLocation) {
    organization.subtrees.forget();
  }
  const work = newWork();
  const { histories, readers } = organization.unsettled;
  const settled = histories.take(now, share);
  const moves = feed === null ? [] : await takeMoves(db, feed, share, now);
  await noteMoves(db, orgId, organization, work, [...settled, ...moves], now);
  const revisions = isRevised ? await takeRevisions(db, orgId, share) : [];
  const revisedAssets = revisions.flatMap(({ subject, id }) => (subject === 'asset' ? [id] : []));
  await keepMeasured(db, orgId, organization, revisedAssets, now);
  for (const { subject, id, since: from } of revisions) {
    if (from < now) {
      work[subject === 'asset' ? 'assets' : 'readers'].add(id, from);
    } else if (subject === 'asset') {
      histories.keep(revisedHistory(id, from), now);
    } else {
      readers.keep({ id, since: from, until: from }, now);
    }
  }
  for (const { id, since: from } of readers.take(now, share)) {
    work.readers.add(id, from);
  }
  for (const { assetId, since: from } of again.slice(0, share)) {
    work.assets.add(assetId, from);
  }
  await hearAgain(db, orgId, organization, heard, now);
  takeDue(organization, work, now, share);
  await askExpected(db, orgId, organization, work, { now, share });
  await lookAtFirst(db, orgId, organization, work, { since, share, now });
  const { looked, isLeft } = await deriveWork(db, orgId, organization, work, { now, isLate });
  await noteLeftOut(db, orgId, organization, looked);
  organization.share = isLeft ? Math.max(LEAST, Math.floor(share / 2)) : 2 * share;
  return {
    hasRules: true,
    isBehind:
      isLeft ||
      spread.isBehind ||
      (feed !== null && feed.head > feed.position + share) ||
      revisions.length >= share ||
      organization.lookedUpTo !== null ||
      isDue(organization, now),
    isChanged: looked.some(({ isChanged }) => isChanged),
    unknown: looked.flatMap(({ what, id, isUnknown }) => (isUnknown ? [{ orgId, what, id }] : [])),
  };
}

/** Keeps readings after the window: what has an asset revised is only the first of them that may change something. */
async function keepMeasured(
  db: Connection,
  orgId: number,
  { rules, unsettled }: Organization,
  assetIds: readonly number[],
  now: Micros,
): Promise<void> {
  if (assetIds.length === 0 || !areOfReadings(rules)) {
    return;
  }
  const rows = await db.any(sql.prepared(
    'find-readings-after',
    rowsOf<{ asset_id: number; until: Micros }>(),
  )`
    select tag.asset_id, micros_of_time(max(newest.at)) as until
    from unnest(${sql.binary(integers(assetIds))}::integer[]) as given (id)
    join tags tag on tag.org_id = ${orgId}::integer and tag.asset_id = given.id
    cross join lateral (
      select greatest(temperature_c_at, humidity_percent_at, battery_percent_at, battery_volts_at) as at
      from newest_readings where org_id = ${orgId}::integer and tag_id = tag.id offset 0
    ) newest
    where newest.at >= time_of_micros(${now}::bigint)
    group by tag.asset_id`);
  for (const { asset_id: id, until } of rows) {
    unsettled.histories.keep(revisedHistory(id, now, until), now);
  }
}

/** The least share of a turn: so many assets of each source are looked at, however long it takes. */
const LEAST = 20;

const NOT_SPREAD = { isWhole: false, isOfLocation: false, isBehind: false };

async function reloadRules(
  db: Connection,
  orgId: number,
  organization: Organization,
  now: Micros,
): Promise<boolean> {
  const rules = await loadRulesOf(db, orgId, now);
  if (rules !== null) {
    organization.rules = rules;
    organization.subtrees = new KnownSubtrees([...rules.ofAssets.values()].flat());
    organization.isRevised = false;
    organization.quiet.clear();
    organization.inTime.clear();
  }
  return rules !== null;
}

async function deriveWork(
  db: Connection,
  orgId: number,
  { rules, subtrees, assets, stays, readers, expected, unheard, overdue, quiet, inTime }: Organization,
  work: Work,
  { now, isLate }: Pick<Wanted, 'now' | 'isLate'>,
): Promise<{ looked: (Looked & Pick<Unknown, 'what'>)[]; isLeft: boolean }> {
  work.stays.moveShared(work.assets);
  const ofAssets = { orgId, what: 'asset', rules: rules.ofAssets, subtrees } as const;
  const done = await derive(db, ofAssets, work.assets, { now, isLate });
  for (const { id, since, next, heard, isAlerted, overdueSince, isUnknown, ...looked } of done.looked) {
    assets.add(id, next ?? Number.POSITIVE_INFINITY);
    expected.set(id, looked.expected, now);
    unheard.set(id, heard, since);
    quiet[isAlerted ? 'delete' : 'add'](id);
    if (overdueSince === null) {
      overdue.delete(id);
    } else {
      overdue.set(id, overdueSince);
    }
    inTime[overdueSince === null && !isUnknown ? 'add' : 'delete'](id);
  }
  const ofStays = { orgId, what: 'asset', rules: rules.ofStays, subtrees } as const;
  const doneOfStays = await derive(db, ofStays, work.stays, { now, isLate });
  for (const { id, next, isAlerted } of doneOfStays.looked) {
    if (next !== null) {
      stays.add(id, next);
    }
    quiet[!isAlerted && inTime.has(id) ? 'add' : 'delete'](id);
  }
  const ofReaders = { orgId, what: 'reader', rules: rules.ofReaders, subtrees } as const;
  const doneOfReaders = await derive(db, ofReaders, work.readers, { now, isLate });
  for (const { id, next } of doneOfReaders.looked) {
    readers.add(id, next ?? Number.POSITIVE_INFINITY);
  }
  await putOff(db, orgId, 'asset', [...done.left, ...doneOfStays.left]);
  await putOff(db, orgId, 'reader', doneOfReaders.left);
  dueLater(work.assets, assets, now);
  dueLater(work.stays, stays, now);
  dueLater(work.readers, readers, now);
  return {
    looked: [
      ...[...done.looked, ...doneOfStays.looked].map((each) => ({ ...each, what: 'asset' as const })),
      ...doneOfReaders.looked.map((each) => ({ ...each, what: 'reader' as const })),
    ],
    isLeft: done.left.length + doneOfStays.left.length + doneOfReaders.left.length > 0,
  };
}

/** Kept for `doctor`, which names some. */
async function noteLeftOut(
  db: Connection,
  orgId: number,
  organization: Organization,
  looked: readonly Pick<Looked & Unknown, 'what' | 'id' | 'isUnknown'>[],
): Promise<void> {
  const { leftOut, lookedUpTo } = organization;
  const changed = looked.filter(({ what, id, isUnknown }) => leftOut[what].has(id) !== isUnknown);
  for (const { what, id, isUnknown } of changed) {
    leftOut[what][isUnknown ? 'add' : 'delete'](id);
  }
  if (changed.length === 0 && (organization.isLeftOutNoted || lookedUpTo !== null)) {
    return;
  }
  organization.isLeftOutNoted = lookedUpTo === null;
  const first = (ids: ReadonlySet<number>) => sql.binary(integers([...ids].slice(0, MOST_NOTED)));
  await db.exec(sql.prepared('note-left-out', NO_ROWS)`
    update alert_cursors set left_out_assets = ${first(leftOut.asset)}::integer[],
      left_out_readers = ${first(leftOut.reader)}::integer[]
    where org_id = ${orgId}::integer`);
}

/** Assets, and readers. */
const MOST_NOTED = 100;

/** A process that begins to derive looks at every asset and reader once, to know when it is due. */
async function lookAtFirst(
  db: Connection,
  orgId: number,
  organization: Organization,
  work: Work,
  { since, share, now }: { since: Micros; share: number; now: Micros },
): Promise<void> {
  const { lookedUpTo, unsettled } = organization;
  if (lookedUpTo === null) {
    return;
  }
  if (lookedUpTo === 0) {
    const readers = await db.any(sql.type(rowsOf<{ id: number }>())`
      select id from readers where org_id = ${orgId} and deleted_at is null`);
    for (const { id } of readers) {
      work.readers.add(id, since);
    }
  }
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number; last_seen: Micros }>())`
    with placed as materialized (
      select asset_id, micros_of_time(coalesce(last_seen, since)) as last_seen from positions
      where org_id = ${orgId} and asset_id > ${lookedUpTo} and location_id is not null
      order by asset_id limit ${share}
    )
    select asset_id, last_seen from placed
    union all
    (
      select asset.id, 0::int8 from assets asset
      where asset.org_id = ${orgId} and asset.id > ${lookedUpTo} and ${hasRulesOfReadings(orgId)}
        and asset.id <= coalesce((select max(asset_id) from placed having count(*) = ${share}), 2147483647)
        and exists (select from ${measuringTags(orgId)} where tag.asset_id = asset.id)
        and not exists (
          select from positions where org_id = ${orgId} and asset_id = asset.id and location_id is not null)
      order by asset.id limit ${share}
    )
    order by asset_id limit ${share}`);
  for (const { asset_id: id, last_seen: lastSeen } of rows) {
    work.assets.add(id, since);
    unsettled.histories.keep(revisedHistory(id, now, lastSeen), now);
  }
  organization.lookedUpTo = rows.length < share ? null : (rows.at(-1)?.asset_id ?? null);
}

/** Assets that are asked about for each that may be looked at: of 20,000 at once the loop would stand for 60 ms. */
const ASKED = 2;

/** Postpones assets that were read in time, and schedules the others. */
export async function askExpected(
  db: Connection,
  orgId: number,
  { expected }: Organization,
  work: Work,
  { now, share }: { now: Micros; share: number },
): Promise<void> {
  const asked = expected.take(now, share * ASKED);
  if (asked.length === 0) {
    return;
  }
  const lastSeen = await loadLastSeen(
    db,
    orgId,
    asked.map(({ id }) => id),
  );
  let looked = 0;
  for (const { id, ...read } of asked) {
    const since = expected.answer({ id, ...read }, lastSeen.get(id) ?? null, now);
    if (since !== null && looked < share) {
      looked += 1;
      work.assets.add(id, since);
    } else if (since !== null) {
      expected.add(id, read, now);
    }
  }
}

async function loadLastSeen(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, Micros>> {
  const rows = await db.any(sql.prepared('find-last-seen', rowsOf<{ asset_id: number; last_seen: Micros }>())`
    select position.asset_id, micros_of_time(position.last_seen) as last_seen
    from unnest(${sql.binary(integers(assetIds))}::integer[]) as given (id)
      join positions position on position.org_id = ${orgId} and position.asset_id = given.id
    where position.last_seen is not null`);
  return new Map(rows.map(({ asset_id: id, last_seen: at }) => [id, at]));
}

/**
 * Schedules assets after moves: an asset is looked at only when the move may have made a condition true. A move of an
 * asset that is not overdue says that it was read, so `overdue` rules need not be asked before their threshold.
 */
export async function noteMoves(
  db: Connection,
  orgId: number,
  { rules, subtrees, quiet, inTime, stays, expected, unsettled }: Organization,
  work: Work,
  changes: readonly ChangedHistory[],
  now: Micros,
): Promise<void> {
  for (const change of changes) {
    unsettled.histories.keep(change, now);
  }
  const moves = changes.filter(({ since }) => since < now);
  const simple = moves.filter(({ assetId, isMoved }) => isMoved && inTime.has(assetId));
  const locationIds = [...new Set(simple.flatMap((move) => move.locationIds))];
  const known = await loadIfBounded(db, orgId, subtrees, locationIds);
  const versions = [...rules.ofAssets.values()].flat();
  const [unread, others] = [versions.filter(isOverdue), versions.filter((version) => !isOverdue(version))];
  const inTimeStill = new Set<ChangedHistory>();
  for (const move of simple) {
    const isBelow = (id: number) =>
      known === null ||
      move.locationIds.some((each) => known.get(id)?.get(each)?.at(-1)?.until === Number.POSITIVE_INFINITY);
    const [by, earliest] = [earliestChange(unread, move, isBelow), earliestChange(others, move, isBelow)];
    if (by <= now) {
      continue;
    }
    inTimeStill.add(move);
    if (Number.isFinite(by)) {
      expected.add(move.assetId, { by, within: by - move.since }, now);
    }
    if (earliest <= now || !quiet.has(move.assetId)) {
      work.stays.add(move.assetId, move.since);
    } else if (Number.isFinite(earliest)) {
      stays.add(move.assetId, earliest);
    }
  }
  for (const move of moves) {
    if (!inTimeStill.has(move)) {
      work.assets.add(move.assetId, move.since);
    }
  }
}

/** Null if it is too much at once: then each is looked at in smaller groups. */
async function loadIfBounded(
  db: Connection,
  orgId: number,
  subtrees: KnownSubtrees,
  locationIds: readonly number[],
): Promise<Subtrees | null> {
  try {
    return await subtrees.load(db, orgId, locationIds);
  } catch (error) {
    if (error instanceof TooMuchWork) {
      return null;
    }
    throw error;
  }
}

function isOverdue({ kind }: DatedRule): boolean {
  return kind === 'overdue';
}

/**
 * When moves may first make the condition of a rule true for an asset for which none held: a lower bound by thresholds
 * alone, so that passing assets need not be looked at. Earlier due times for other reasons stay.
 *
 * @param rules all versions, of kinds that are about assets.
 * @param isBelow whether one of the locations of the moves is at or below another.
 */
export function earliestChange(
  rules: Iterable<DatedRule>,
  { since, assetId }: Pick<ChangedHistory, 'since' | 'assetId'>,
  isBelow: (locationId: number) => boolean,
): Micros {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { kind, after, thenAfter, locationId, selection } of rules) {
    if (isOfReadings({ kind }) && selection.withinLocationId === null) {
      // Wherever it is.
      continue;
    }
    const { assetIds, withinLocationId: within } = selection;
    const isSelected = isNamed(assetIds, assetId) && (within === null || isBelow(within));
    const isAway =
      (kind === 'not_allowed' || kind === 'dwell') && locationId !== null && !isBelow(locationId);
    if (isSelected && !isAway) {
      // What comes into a selection may have stayed, or been away, for long; when it was read restarts.
      const isNew = within !== null && kind !== 'overdue';
      const threshold = after ?? (kind === 'dwell' ? thenAfter : null) ?? 0;
      earliest = Math.min(earliest, isNew ? since : since + threshold);
    }
  }
  return earliest;
}
