import { append } from '../../../base/append.ts';
import { inTurn } from '../../../base/by-turns.ts';
import { leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { limitStatements } from '../../../db/timescale/queries/limit-statements.ts';
import { inSavepoint } from '../../../db/timescale/queries/savepoint.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findRevised } from '../../presence/revised-organizations.ts';
import { endFloods } from '../stored/floods.ts';
import { type Derived, deriveOrganization, type Unknown } from './derive-organization.ts';
import { findHeard, mayBeHeard } from './hear-again.ts';
import { derivedUpTo, mayChange, newOrganization, type Organization } from './organization.ts';
import { readAgain } from './read-again.ts';
import { findBehind, forgetOthers } from './read-moves.ts';
import { mergeRevisions } from './revisions.ts';
import { findDeleted, findOrganizations } from './rules-of-organization.ts';
import { type DerivingFault, SetAside } from './set-aside.ts';

/** Assets of a turn, shared by the organizations that have something to derive. */
const AT_ONCE = 4_000;

const LEAST_SHARE = 200;

/** Milliseconds after which a turn begins no other organization, and puts off what is left of one: those are first in the next. */
const LONGEST = 2_000;

/** Milliseconds after which a statement about an organization is given up, and the organization set aside: others wait for it. */
const LONGEST_STATEMENT = 10_000;

/** What is read just now may not be committed yet. */
const SETTLED_AFTER: Micros = MICROS_PER_SECOND;

export interface Turn {
  /** Up to here nothing has to be derived again, whoever goes on. */
  derivedTo: Micros;
  /** There was more than goes into a turn. */
  isBehind: boolean;
  /** Organizations of which events were written to the feed. */
  told: number[];
  /** Passed over from now on. */
  setAside: DerivingFault[];
  /** Passed over before, and derived up to now. */
  mended: number[];
  /** Looked at in vain. */
  unknown: Unknown[];
  /** Organizations of which not everything was looked at once since this process derives. */
  firstLooks: number;
}

/**
 * Derives alerts turn by turn. It remembers when the answer for each asset and reader may change although nothing new is
 * known, and looks at no other but those of which something new is. An organization that fails is set aside by itself.
 */
export class AlertDeriver {
  #organizations: Map<number, Organization> | null = null;
  readonly #aside = new SetAside();
  /** Whose turn was last. */
  #last = 0;
  readonly #longest: number;
  readonly #longestStatement: number;

  /**
   * @param longest milliseconds after which a turn takes up nothing else.
   * @param longestStatement milliseconds after which the organization that a statement is about is set aside.
   */
  constructor(longest = LONGEST, longestStatement = LONGEST_STATEMENT) {
    this.#longest = longest;
    this.#longestStatement = longestStatement;
  }

  /**
   * All of a turn is one transaction; a deriver of which a turn failed is of no use any more.
   *
   * @param derivedTo where the last turn ended, of whichever process.
   */
  async turn(db: Connection, derivedTo: Micros): Promise<Turn> {
    const began = performance.now();
    const isLate = () => performance.now() - began > this.#longest;
    const now = (await databaseNow(db)) - SETTLED_AFTER;
    await endFloods(db);
    const revised = new Set(await findRevised(db, 'alert_revisions'));
    const organizations = await this.#know(db, revised);
    const behind = await findBehind(db, [...organizations.keys()]);
    const feeds = new Map(behind.map((feed) => [feed.orgId, feed]));
    const again = await readAgain(db, organizations, shareOf(organizations.size));
    const heard = await findHeard(db, organizations, now);
    const readIn = Map.groupBy(again, ({ orgId }) => orgId);
    const ids = [...organizations].flatMap(([id, organization]) =>
      feeds.has(id) ||
      revised.has(id) ||
      readIn.has(id) ||
      mayBeHeard(organization, heard.get(id), now) ||
      mayChange(organization, now)
        ? [id]
        : [],
    );
    const share = shareOf(ids.length);
    const turn: Turn = {
      ...{ derivedTo, isBehind: false, firstLooks: 0 },
      ...{ told: [], setAside: [], mended: [], unknown: [] },
    };
    await limitStatements(db, this.#longestStatement);
    for (const [index, orgId] of inTurn(ids, this.#last).entries()) {
      if (index > 0 && isLate()) {
        turn.isBehind = true;
        break;
      }
      this.#last = orgId;
      const organization = organizations.get(orgId) as Organization;
      // Maybe in the future, where the clock was set back since.
      const since = Math.min(this.#aside.derivedTo(orgId) ?? derivedTo, now);
      const derived = await inSavepoint<Derived | null>(
        db,
        () =>
          deriveOrganization(db, orgId, organization, {
            ...{ now, since, share },
            ...{ feed: feeds.get(orgId) ?? null, isRevised: revised.has(orgId) },
            ...{ again: readIn.get(orgId) ?? [], heard: heard.get(orgId), isLate },
          }),
        (error) => this.#setAside(db, { orgId, error }, turn),
      );
      if (derived === null) {
        organizations.delete(orgId);
      } else if (!derived.hasRules) {
        organizations.delete(orgId);
        await this.#aside.remove(db, orgId);
      } else {
        turn.isBehind ||= derived.isBehind;
        append(turn.told, derived.isChanged ? [orgId] : []);
        append(turn.unknown, derived.unknown);
        await this.#takeBack(db, orgId, derived, turn);
      }
    }
    turn.firstLooks = [...organizations.values()].filter(({ lookedUpTo }) => lookedUpTo !== null).length;
    turn.derivedTo = this.#settled(derivedTo, now);
    return turn;
  }

  /** All that have rules, and of those that were set aside one that is to be tried again. */
  async #know(db: Connection, revised: Iterable<number>): Promise<Map<number, Organization>> {
    const found = this.#organizations === null ? await this.#begin(db) : revised;
    this.#organizations ??= new Map();
    for (const orgId of await findDeleted(db, [...this.#organizations.keys()])) {
      this.#organizations.set(orgId, newOrganization());
    }
    const again = this.#aside.due(performance.now());
    for (const orgId of [...found, ...(again === null ? [] : [again])]) {
      if (!this.#organizations.has(orgId) && (orgId === again || !this.#aside.isPassedOver(orgId))) {
        this.#organizations.set(orgId, { ...newOrganization(), share: this.#aside.share(orgId) });
      }
    }
    return this.#organizations;
  }

  async #begin(db: Connection): Promise<readonly number[]> {
    await this.#aside.load(db);
    const found = await findOrganizations(db);
    await forgetOthers(db, found);
    return found;
  }

  async #setAside(db: Connection, fault: DerivingFault, turn: Turn): Promise<null> {
    // They may be so many that this takes too long as well; it is tried again after the next failure.
    await inSavepoint(
      db,
      () => mergeRevisions(db, fault.orgId),
      async () => {},
    );
    if (await this.#aside.add(db, fault, turn.derivedTo, performance.now())) {
      turn.setAside.push(fault);
    }
    return null;
  }

  async #takeBack(db: Connection, orgId: number, { isBehind }: Derived, turn: Turn): Promise<void> {
    if (this.#aside.derivedTo(orgId) !== null) {
      this.#aside.back(orgId);
      if (!isBehind) {
        await this.#aside.remove(db, orgId);
        turn.mended.push(orgId);
      }
    }
  }

  /** Up to when all are derived but those that were set aside, of which that is noted apart. */
  #settled(derivedTo: Micros, now: Micros): Micros {
    const others = [...(this.#organizations ?? [])].filter(([id]) => this.#aside.derivedTo(id) === null);
    return leastOf([now, ...others.map(([, organization]) => derivedUpTo(organization, now) ?? derivedTo)]);
  }
}

function shareOf(organizations: number): number {
  return Math.max(LEAST_SHARE, Math.floor(AT_ONCE / Math.max(1, organizations)));
}

async function databaseNow(db: Connection): Promise<Micros> {
  const { now } = await db.one(sql.prepared('now-of-alerts', rowsOf<{ now: Micros }>())`
    select micros_of_time(clock_timestamp()) as now`);
  return now;
}
