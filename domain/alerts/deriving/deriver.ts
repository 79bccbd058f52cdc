import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { derive } from './derive-in-parts.ts';
import { hearAgain } from './hear-again.ts';
import { lookAtFirst } from './look-at-first.ts';
import { noteMoves } from './note-moves.ts';
import { dueLater, newOrganization, type Organization, takeDue, type Work } from './organization.ts';
import { readAgain } from './read-again.ts';
import { findBehind, forgetOthers, takeMoves } from './read-moves.ts';
import { spreadRevisions, takeRevisions, takeWideRevisions } from './revisions.ts';
import { findDeleted, loadRulesByOrganization } from './rules-of-organization.ts';
import { SinceWhen } from './since-when.ts';

/** Assets of a turn, shared by the organizations that have any. */
const AT_ONCE = 4_000;

const LEAST_SHARE = 50;

/** What is read just now may not be committed yet. */
const SETTLED_AFTER: Micros = MICROS_PER_SECOND;

/** For so long after it may have begun, a process that goes on finds whatever was over before readers proved it. */
const WAITED_FOR: Micros = 3_600 * MICROS_PER_SECOND;

/** Turns. */
const FORGET_EVERY = 1_000;

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
    for (const { orgId, assetId, since } of await readAgain(db, organizations, share)) {
      workOf(orgId).assets.add(assetId, since);
    }
    await hearAgain(db, organizations, now);
    let isBehind = behind.some(({ head, position }) => head > position + share) || revisions.length >= share;
    for (const orgId of ids) {
      const organization = organizations.get(orgId) as Organization;
      const work = workOf(orgId);
      takeDue(organization, work, now, share);
      // Maybe in the future, where the clock was set back since.
      await lookAtFirst(db, orgId, organization, work, { since: Math.min(derivedTo, now), share });
      await this.#derive(db, orgId, organization, work, now);
      isBehind ||= organization.lookedUpTo !== null || organization.assets.isDue(now);
    }
    return { derivedTo: this.#settled(derivedTo, now), isBehind };
  }

  /** With the rules as they are now. */
  async #current(db: Connection, now: Micros): Promise<Map<number, Organization>> {
    const revisions = await takeWideRevisions(db);
    if (this.#organizations === null) {
      const rules = await loadRulesByOrganization(db, null, now);
      this.#organizations = new Map([...rules].map(([id, own]) => [id, newOrganization(own)]));
    } else {
      const ofRules = revisions.flatMap(({ orgId, subject }) => (subject === 'organization' ? [orgId] : []));
      await this.#renew(db, this.#organizations, [...new Set(ofRules)], now);
    }
    const organizations = this.#organizations;
    if (this.#turns % FORGET_EVERY === 0) {
      await forgetOthers(db, [...organizations.keys()]);
    }
    await spreadRevisions(
      db,
      revisions.filter(({ orgId }) => organizations.has(orgId)),
    );
    return organizations;
  }

  /** Organizations whose rules have changed, and those that were deleted. */
  async #renew(
    db: Connection,
    organizations: Map<number, Organization>,
    revised: readonly number[],
    now: Micros,
  ): Promise<void> {
    for (const orgId of await findDeleted(db, [...organizations.keys()])) {
      organizations.delete(orgId);
    }
    if (revised.length === 0) {
      return;
    }
    const rules = await loadRulesByOrganization(db, revised, now);
    for (const orgId of revised) {
      const [own, known] = [rules.get(orgId), organizations.get(orgId)];
      if (own === undefined) {
        organizations.delete(orgId);
      } else if (known === undefined) {
        organizations.set(orgId, newOrganization(own));
      } else {
        known.rules = own;
        known.quiet.clear();
      }
    }
  }

  async #derive(
    db: Connection,
    orgId: number,
    organization: Organization,
    work: Work,
    now: Micros,
  ): Promise<void> {
    const { rules, assets, readers, unheard, overdue, quiet } = organization;
    const ofAssets = { orgId, what: 'asset', rules: rules.ofAssets } as const;
    for (const { id, next, heard, isAlerted, overdueSince } of await derive(db, ofAssets, work.assets, now)) {
      assets.add(id, next ?? Number.POSITIVE_INFINITY);
      unheard.set(id, heard);
      quiet[isAlerted ? 'delete' : 'add'](id);
      if (overdueSince === null) {
        overdue.delete(id);
      } else {
        overdue.set(id, overdueSince);
      }
    }
    const ofReaders = { orgId, what: 'reader', rules: rules.ofReaders } as const;
    for (const { id, next } of await derive(db, ofReaders, work.readers, now)) {
      readers.add(id, next ?? Number.POSITIVE_INFINITY);
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
          ...organizations.flatMap(({ assets, readers, unheard }) => [
            assets.earliest,
            readers.earliest,
            // What waits for long is not lost: it holds still when it is found.
            Math.max(unheard.earliest, now - WAITED_FOR),
          ]),
        );
  }
}

/** Each is first in its turn. */
function inTurn(ids: readonly number[], turn: number): number[] {
  const first = ids.length === 0 ? 0 : turn % ids.length;
  return [...ids.slice(first), ...ids.slice(0, first)];
}

async function databaseNow(db: Connection): Promise<Micros> {
  const { now } = await db.one(sql.prepared('now-of-alerts', rowsOf<{ now: Micros }>())`
    select micros_of_time(clock_timestamp()) as now`);
  return now;
}
