import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import { TooMuchEvidence } from '../../presence/load-listening.ts';
import { deriveSubjects, type Looked, type Wanted } from './derive-subjects.ts';
import { DueTimes } from './due-times.ts';
import { earliestChange } from './earliest-change.ts';
import { loadAbove } from './load-above.ts';
import { type ChangedHistory, findBehind, forgetOthers, takeMoves } from './read-moves.ts';
import { spreadRevisions, takeRevisions } from './revisions.ts';
import { DERIVED_BACK, loadRulesByOrganization, type OrganizationRules } from './rules-of-organization.ts';
import { SinceWhen } from './since-when.ts';

interface Organization {
  rules: OrganizationRules;
  assets: DueTimes;
  readers: DueTimes;
  /** When assets that are overdue were read last, as far as was known when they were looked at. */
  overdue: Map<number, Micros>;
  /** Assets that were looked at, by the rules there are, and of which no condition held. */
  quiet: Set<number>;
  /** The asset up to which all were looked at since this process derives; null for all. */
  lookedUpTo: number | null;
}

/** What is to be derived of an organization in a turn. */
interface Work {
  assets: SinceWhen;
  readers: SinceWhen;
}

/** Assets of a turn, shared by the organizations that have any. */
const AT_ONCE = 4_000;

const LEAST_SHARE = 50;

/** Assets in a statement. */
const BATCH = 1_000;

/** Looked at together: the evidence of all goes back as far as that of the one that is looked at from when on. */
const AGES = [60, 600, 3_600, 6 * 3_600, 86_400, 7 * 86_400].map((seconds) => seconds * MICROS_PER_SECOND);

/** Where there is too much evidence. */
const AGAIN_AFTER: Micros = 3_600 * MICROS_PER_SECOND;

/** What is read just now may not be committed yet. */
const SETTLED_AFTER: Micros = MICROS_PER_SECOND;

export interface Turn {
  /** Up to here nothing has to be derived again, whoever goes on. */
  derivedTo: Micros;
  /** There was more than goes into a turn. */
  isBehind: boolean;
}

/**
 * Derives alerts turn by turn. It remembers when the answer for each asset and reader may change although nothing new is
 * known, and looks at no other but those of which something new is.
 */
export class AlertDeriver {
  #organizations: Map<number, Organization> | null = null;
  #turns = 0;

  /**
   * All of a turn is one transaction; a deriver of which a turn failed is of no use any more.
   *
   * @param derivedTo where the last turn ended, of whichever process.
   */
  async turn(db: Connection, derivedTo: Micros): Promise<Turn> {
    const now = (await databaseNow(db)) - SETTLED_AFTER;
    const organizations = await this.#current(db, now);
    const ids = inTurn([...organizations.keys()], this.#turns++);
    const works = new Map<number, Work>();
    const workOf = (orgId: number): Work => {
      const work = works.get(orgId) ?? { assets: new SinceWhen(), readers: new SinceWhen() };
      works.set(orgId, work);
      return work;
    };
    const share = Math.max(LEAST_SHARE, Math.floor(AT_ONCE / Math.max(1, ids.length)));
    const behind = await findBehind(db, ids);
    const moves = await takeMoves(db, behind, share);
    for (const [orgId, own] of Map.groupBy(moves, (move) => move.orgId)) {
      await noteMoves(db, organizations.get(orgId) as Organization, workOf(orgId), own, now);
    }
    const revisions = await takeRevisions(db, ids, share);
    for (const { orgId, subject, id, since } of revisions) {
      workOf(orgId)[subject === 'asset' ? 'assets' : 'readers'].add(id, since);
    }
    for (const { orgId, assetId, since } of await readAgain(db, organizations)) {
      workOf(orgId).assets.add(assetId, since);
    }
    let isBehind = behind.some(({ head, position }) => head > position + share) || revisions.length >= share;
    for (const orgId of ids) {
      const organization = organizations.get(orgId) as Organization;
      const work = workOf(orgId);
      takeDue(organization, work, now, share);
      await lookAtFirst(db, orgId, organization, work, { since: derivedTo, share });
      await this.#derive(db, orgId, organization, work, now);
      isBehind ||= organization.lookedUpTo !== null || organization.assets.earliest <= now;
    }
    return { derivedTo: this.#settled(derivedTo, now), isBehind };
  }

  /** With the rules as they are now. */
  async #current(db: Connection, now: Micros): Promise<Map<number, Organization>> {
    const revised = await spreadRevisions(db);
    if (this.#organizations === null) {
      const rules = await loadRulesByOrganization(db, null, now);
      this.#organizations = new Map([...rules].map(([id, own]) => [id, newOrganization(own)]));
      await forgetOthers(db, [...rules.keys()]);
    } else if (revised.length > 0) {
      const rules = await loadRulesByOrganization(db, revised, now);
      for (const orgId of revised) {
        const [own, known] = [rules.get(orgId), this.#organizations.get(orgId)];
        if (own === undefined) {
          this.#organizations.delete(orgId);
        } else if (known === undefined) {
          this.#organizations.set(orgId, newOrganization(own));
        } else {
          known.rules = own;
          known.quiet.clear();
        }
      }
    }
    return this.#organizations;
  }

  async #derive(
    db: Connection,
    orgId: number,
    organization: Organization,
    work: Work,
    now: Micros,
  ): Promise<void> {
    const { rules, assets, readers, overdue, quiet } = organization;
    const ofAssets = { orgId, what: 'asset', rules: rules.ofAssets } as const;
    for (const { id, next, isAlerted, overdueSince } of await derive(db, ofAssets, work.assets, now)) {
      assets.set(id, next);
      quiet[isAlerted ? 'delete' : 'add'](id);
      if (overdueSince === null) {
        overdue.delete(id);
      } else {
        overdue.set(id, overdueSince);
      }
    }
    const ofReaders = { orgId, what: 'reader', rules: rules.ofReaders } as const;
    for (const { id, next } of await derive(db, ofReaders, work.readers, now)) {
      readers.set(id, next);
    }
    dueLater(work.assets, assets, now);
    dueLater(work.readers, readers, now);
  }

  #settled(derivedTo: Micros, now: Micros): Micros {
    const organizations = [...(this.#organizations?.values() ?? [])];
    return organizations.some(({ lookedUpTo }) => lookedUpTo !== null)
      ? derivedTo
      : Math.min(
          now,
          ...organizations.map(({ assets, readers }) => Math.min(assets.earliest, readers.earliest)),
        );
  }
}

function newOrganization(rules: OrganizationRules): Organization {
  return {
    rules,
    assets: new DueTimes(),
    readers: new DueTimes(),
    overdue: new Map(),
    quiet: new Set(),
    lookedUpTo: 0,
  };
}

/** Each is first in its turn. */
function inTurn(ids: readonly number[], turn: number): number[] {
  const first = ids.length === 0 ? 0 : turn % ids.length;
  return [...ids.slice(first), ...ids.slice(0, first)];
}

/** What a move cannot have made true yet is looked at only when it may have. */
async function noteMoves(
  db: Connection,
  { rules, quiet, assets }: Organization,
  work: Work,
  moves: readonly ChangedHistory[],
  now: Micros,
): Promise<void> {
  const simple = moves.filter(({ assetId, isMoved }) => isMoved && quiet.has(assetId));
  const locationIds = [...new Set(simple.flatMap((move) => move.locationIds))];
  const above = simple.length === 0 ? new Map() : await loadAbove(db, moves[0]?.orgId ?? 0, locationIds);
  const versions = [...rules.ofAssets.values()].flat();
  const waiting = new Set<number>();
  for (const move of simple) {
    const isBelow = (id: number) => move.locationIds.some((each) => above.get(each)?.has(id) === true);
    const earliest = earliestChange(versions, move, isBelow);
    if (earliest > now) {
      waiting.add(move.assetId);
      assets.setSooner(move.assetId, earliest);
    }
  }
  for (const { assetId, since, until } of moves) {
    if (!waiting.has(assetId)) {
      work.assets.add(assetId, since, until);
    }
  }
}

function takeDue({ assets, readers }: Organization, work: Work, now: Micros, share: number): void {
  for (const { id, at } of assets.take(now, share)) {
    work.assets.add(id, at);
  }
  for (const { id, at } of readers.take(now, share)) {
    work.readers.add(id, at);
  }
}

/** A process that begins to derive looks at every asset and reader once, to know when it is due. */
async function lookAtFirst(
  db: Connection,
  orgId: number,
  organization: Organization,
  work: Work,
  { since, share }: { since: Micros; share: number },
): Promise<void> {
  const { lookedUpTo } = organization;
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
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number }>())`
    select asset_id from positions where org_id = ${orgId} and asset_id > ${lookedUpTo} and location_id is not null
    order by asset_id limit ${share}`);
  for (const { asset_id: id } of rows) {
    work.assets.add(id, since);
  }
  organization.lookedUpTo = rows.length < share ? null : (rows.at(-1)?.asset_id ?? null);
}

/** Assets that are overdue and were read since they were looked at. */
async function readAgain(
  db: Connection,
  organizations: ReadonlyMap<number, Organization>,
): Promise<{ orgId: number; assetId: number; since: Micros }[]> {
  const overdue = [...organizations].flatMap(([orgId, { overdue: assets }]) =>
    [...assets].map(([assetId, lastSeen]) => ({ orgId, assetId, lastSeen })),
  );
  if (overdue.length === 0) {
    return [];
  }
  const rows = await db.any(sql.prepared(
    'find-read-again',
    rowsOf<{ org_id: number; asset_id: number; since: Micros }>(),
  )`
    select given.org_id, given.asset_id, micros_of_time(given.last_seen) as since
    from unnest(
        ${sql.binary(integers(overdue.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(overdue.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(timestamps(overdue.map(({ lastSeen }) => lastSeen)))}::timestamptz[])
        as given (org_id, asset_id, last_seen)
      join positions position on position.org_id = given.org_id and position.asset_id = given.asset_id
    where position.last_seen > given.last_seen`);
  return rows.map(({ org_id: orgId, asset_id: assetId, since }) => ({ orgId, assetId, since }));
}

/** What is dated after the window is due then. */
function dueLater(work: SinceWhen, dues: DueTimes, now: Micros): void {
  for (const [id, { until }] of work.entries()) {
    if (until >= now) {
      dues.setSooner(id, until);
    }
  }
}

async function derive(
  db: Connection,
  wanted: Omit<Wanted, 'ids'>,
  work: SinceWhen,
  now: Micros,
): Promise<Looked[]> {
  if (wanted.rules.size === 0) {
    return [];
  }
  const looked: Looked[] = [];
  const begun = work.entries().filter(([, { since }]) => since < now);
  const ofAges = Map.groupBy(begun, ([, { since }]) => AGES.findIndex((age) => now - since <= age));
  for (const alike of ofAges.values()) {
    for (let at = 0; at < alike.length; at += BATCH) {
      const some = alike.slice(at, at + BATCH);
      const since = some.reduce((first, [, each]) => Math.min(first, each.since), now);
      const ids = some.map(([id]) => id);
      const window = { since, until: now };
      looked.push(...(await deriveInParts(db, { ...wanted, ids }, window, now - DERIVED_BACK)));
    }
  }
  return looked;
}

/** Fewer at a time where there is too much evidence; of one of which there is too much alone nothing is said for an hour. */
async function deriveInParts(
  db: Connection,
  wanted: Wanted,
  window: Interval,
  earliest: Micros,
): Promise<Looked[]> {
  try {
    return await deriveSubjects(db, wanted, window, earliest);
  } catch (error) {
    if (!(error instanceof TooMuchEvidence)) {
      throw error;
    }
  }
  const { ids } = wanted;
  if (ids.length === 1) {
    return ids.map((id) => ({ id, next: window.until + AGAIN_AFTER, isAlerted: true, overdueSince: null }));
  }
  const half = Math.ceil(ids.length / 2);
  return [
    ...(await deriveInParts(db, { ...wanted, ids: ids.slice(0, half) }, window, earliest)),
    ...(await deriveInParts(db, { ...wanted, ids: ids.slice(half) }, window, earliest)),
  ];
}

async function databaseNow(db: Connection): Promise<Micros> {
  const { now } = await db.one(sql.prepared('now-of-alerts', rowsOf<{ now: Micros }>())`
    select micros_of_time(clock_timestamp()) as now`);
  return now;
}
