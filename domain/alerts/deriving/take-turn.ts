import { randomUUID } from 'node:crypto';
import { append } from '../../../base/append.ts';
import { inTurn } from '../../../base/by-turns.ts';
import { leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { limitStatements } from '../../../db/timescale/queries/limit-statements.ts';
import { inSavepoint } from '../../../db/timescale/queries/savepoint.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findRevised } from '../../presence/revised-organizations.ts';
import { endFloods } from '../stored/floods.ts';
import { type Derived, deriveOrganization, type Unknown } from './derive-organization.ts';
import { findHeard, type HeardLocations, mayBeHeard } from './hear-again.ts';
import { derivedUpTo, mayChange, newOrganization, type Organization } from './organization.ts';
import { type ReadAgain, readAgain } from './read-again.ts';
import { type Behind, findBehind, forgetOthers } from './read-moves.ts';
import { mergeRevisions } from './revisions.ts';
import { findDeleted, findOrganizations } from './rules-of-organization.ts';
import { type DerivingFault, SetAside } from './set-aside.ts';

/** Assets of a turn, shared by the organizations that have something to derive. */
const AT_ONCE = 4_000;

const LEAST_SHARE = 200;

/** Milliseconds. */
const LIMITS = {
  /** A turn begins no further organization after this; the next turn continues there. */
  turn: 2_000,
  /** After this time, the rest of an organization is put off until the next turn. */
  organization: 500,
  /** A slower statement is cancelled and its organization set aside, because others wait for it. */
  statement: 10_000,
};

/** Milliseconds after which organizations without an event are committed. */
const COMMIT_AFTER = 100;

/** Reads of just now may not be committed yet. */
const SETTLED_AFTER: Micros = MICROS_PER_SECOND;

interface Turn {
  /** Up to here nothing has to be derived again, even by another process. */
  derivedTo: Micros;
  /** There was more than goes into a turn. */
  isBehind: boolean;
  /** Organizations still to be visited. */
  waiting: number[];
  /** Evidence of later reads may be incomplete. */
  now: Micros;
  /** When it began: milliseconds of `performance.now()`. */
  began: number;
  /** Assets of each organization and source. */
  share: number;
  /** News, by organization. */
  feeds: ReadonlyMap<number, Behind>;
  revised: ReadonlySet<number>;
  again: ReadonlyMap<number, readonly ReadAgain[]>;
  heard: HeardLocations;
}

/** Organizations of a turn that are committed together. */
interface Part {
  /** Events of these were written to the feed. */
  told: number[];
  /** Passed over from now on. */
  setAside: DerivingFault[];
  /** Passed over before, and derived up to now. */
  mended: number[];
  /** Looked at in vain. */
  unknown: Unknown[];
}

export type TurnTaken = 'nothing_to_do' | 'derived' | 'behind';

/** Assets and readers named after a commit. */
const MOST_NAMED = 10;

export interface TurnHooks {
  /** Events of these organizations were committed. */
  onTold?(orgIds: readonly number[]): void;
  /** An organization is passed over from now on. */
  onSetAside?(fault: DerivingFault): void;
  /** Its alerts are derived again. */
  onMended?(orgId: number): void;
  /** There is too much evidence about an asset or reader; retried in an hour. */
  onUnknown?(unknown: Unknown): void;
}

/**
 * Derives alerts, in the one process that does. Another that follows begins where the last turn ended: an organization that was
 * committed since is in line with the evidence already.
 */
export class AlertTurns {
  readonly #pool: Pool;
  readonly #id = randomUUID();
  readonly #hooks: TurnHooks;
  readonly #limits: ConstructorParameters<typeof AlertDeriver>[0];
  #deriver: AlertDeriver | null = null;
  #firstLooks: number | null = null;

  constructor(pool: Pool, hooks: TurnHooks = {}, limits?: ConstructorParameters<typeof AlertDeriver>[0]) {
    this.#pool = pool;
    this.#hooks = hooks;
    this.#limits = limits;
  }

  /** Organizations not looked at completely; null before the first turn. */
  get firstLooks(): number | null {
    return this.#firstLooks;
  }

  async take(): Promise<TurnTaken> {
    const before = this.#deriver;
    this.#deriver = null;
    this.#firstLooks = null;
    const { taken, deriver, begun } = await inTransaction(this.#pool, (transaction, attempt) =>
      this.#begin(transaction, attempt === 1 ? before : null),
    );
    if (deriver !== null && begun !== null) {
      const { turn } = begun;
      this.#tell(begun.part);
      while (turn.waiting.length > 0) {
        this.#tell(
          await inTransaction(this.#pool, (transaction, attempt) =>
            this.#goOn(transaction, deriver, turn, attempt),
          ),
        );
      }
      this.#firstLooks = deriver.firstLooks;
    }
    this.#deriver = deriver;
    return begun?.turn.isBehind === true ? 'behind' : taken;
  }

  #tell({ told, setAside, mended, unknown }: Part): void {
    if (told.length > 0) {
      this.#hooks.onTold?.(told);
    }
    for (const fault of setAside) {
      this.#hooks.onSetAside?.(fault);
    }
    for (const orgId of mended) {
      this.#hooks.onMended?.(orgId);
    }
    for (const each of unknown.slice(0, MOST_NAMED)) {
      this.#hooks.onUnknown?.(each);
    }
  }

  /** A turn, and its first part. */
  async #begin(
    transaction: Connection,
    before: AlertDeriver | null,
  ): Promise<{ taken: TurnTaken; deriver: AlertDeriver | null; begun: { turn: Turn; part: Part } | null }> {
    if (!(await hasRules(transaction))) {
      return { taken: 'nothing_to_do', deriver: before, begun: null };
    }
    const last = await findLast(transaction);
    // This process's memory is outdated if another has derived since.
    const deriver = (last.derived_by === this.#id ? before : null) ?? new AlertDeriver(this.#limits);
    const turn = await deriver.begin(transaction, last.derived_to);
    return {
      taken: 'derived',
      deriver,
      begun: { turn, part: await this.#derive(transaction, deriver, turn) },
    };
  }

  async #goOn(transaction: Connection, deriver: AlertDeriver, turn: Turn, attempt: number): Promise<Part> {
    if (attempt > 1) {
      throw new Error('The deriver remembers work that was undone; the next turn starts over');
    }
    const { derived_by: derivedBy } = await findLast(transaction);
    if (derivedBy !== this.#id) {
      throw new Error('Another process has derived alerts meanwhile; the next turn starts over');
    }
    return this.#derive(transaction, deriver, turn);
  }

  async #derive(transaction: Connection, deriver: AlertDeriver, turn: Turn): Promise<Part> {
    const part = await deriver.derive(transaction, turn);
    const isDone = turn.waiting.length === 0 && !turn.isBehind;
    await transaction.exec(sql.prepared('keep-derived-alerts', NO_ROWS)`
      insert into alert_derivation as kept (derived_to, derived_by, derived_at)
      values ((${sql.binary(timestamps([turn.derivedTo]))}::timestamptz[])[1], ${this.#id}::uuid, clock_timestamp())
      on conflict (is_only) do update set derived_to = greatest(kept.derived_to, excluded.derived_to),
        derived_by = excluded.derived_by, derived_at = excluded.derived_at,
        caught_up_at = case when ${isDone}::boolean then excluded.derived_at else kept.caught_up_at end`);
    return part;
  }
}

async function hasRules(transaction: Connection): Promise<boolean> {
  const { has_rules: found } = await transaction.one(sql.prepared(
    'ask-for-rules',
    rowsOf<{ has_rules: boolean }>(),
  )`
    select exists (select from rules) as has_rules`);
  return found;
}

/** The last turn, or part of one. Also sets how statements of this transaction are planned. */
async function findLast(transaction: Connection): Promise<{ derived_to: Micros; derived_by: string | null }> {
  return transaction.one(sql.prepared(
    'find-derived-alerts',
    rowsOf<{ derived_to: Micros; derived_by: string | null }>(),
  )`
    select micros_of_time(coalesce(last.derived_to, clock_timestamp())) as derived_to, last.derived_by::text,
      -- Planning the statements again takes longer than running them.
      set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
      set_config('jit', 'off', true)
    from (select) always left join alert_derivation last on true`);
}

/**
 * Derives alerts turn by turn. It remembers when the answer for each asset and reader may change without news, and
 * looks only at these and at those with news. A failing organization is set aside. After a rolled-back transaction,
 * this deriver must not be used again.
 */
export class AlertDeriver {
  #organizations: Map<number, Organization> | null = null;
  readonly #aside = new SetAside();
  /** The organization whose turn was last. */
  #last = 0;
  readonly #limits: typeof LIMITS;

  constructor(limits: Partial<typeof LIMITS> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Organizations that this process has not yet looked at completely. */
  get firstLooks(): number {
    return [...(this.#organizations ?? [])].filter(([, { lookedUpTo }]) => lookedUpTo !== null).length;
  }

  /**
   * Finds the organizations with something to derive.
   *
   * @param derivedTo where the last turn ended, of whichever process.
   */
  async begin(db: Connection, derivedTo: Micros): Promise<Turn> {
    const began = performance.now();
    const now = (await databaseNow(db)) - SETTLED_AFTER;
    await endFloods(db);
    const revised = new Set(await findRevised(db, 'alert_revisions'));
    const organizations = await this.#know(db, revised);
    const behind = await findBehind(db, [...organizations.keys()]);
    const feeds = new Map(behind.map((feed) => [feed.orgId, feed]));
    const readAgainNow = await readAgain(db, organizations, shareOf(organizations.size));
    const again = Map.groupBy(readAgainNow, ({ orgId }) => orgId);
    const heard = await findHeard(db, organizations, now);
    const ids = [...organizations].flatMap(([id, organization]) =>
      feeds.has(id) ||
      revised.has(id) ||
      again.has(id) ||
      mayBeHeard(organization, heard.get(id), now) ||
      mayChange(organization, now)
        ? [id]
        : [],
    );
    const waiting = inTurn(ids, this.#last);
    const share = shareOf(ids.length);
    return { derivedTo, isBehind: false, waiting, now, began, share, feeds, revised, again, heard };
  }

  /**
   * Derives organizations in turn until there are events to commit, because others of the turn may take long. A turn is
   * over once none is waiting.
   */
  async derive(db: Connection, turn: Turn): Promise<Part> {
    const began = performance.now();
    const part: Part = { told: [], setAside: [], mended: [], unknown: [] };
    await limitStatements(db, this.#limits.statement);
    while (part.told.length === 0 && performance.now() - began < COMMIT_AFTER) {
      const orgId = turn.waiting.shift();
      if (orgId === undefined) {
        break;
      }
      this.#last = orgId;
      await this.#deriveOne(db, orgId, turn, part);
      if (turn.waiting.length > 0 && performance.now() - turn.began > this.#limits.turn) {
        turn.waiting = [];
        turn.isBehind = true;
      }
    }
    if (turn.waiting.length === 0) {
      turn.derivedTo = this.#settled(turn.derivedTo, turn.now);
    }
    return part;
  }

  async #deriveOne(db: Connection, orgId: number, turn: Turn, part: Part): Promise<void> {
    const organizations = this.#organizations as Map<number, Organization>;
    const organization = organizations.get(orgId) as Organization;
    const { now, share, derivedTo } = turn;
    const began = performance.now();
    const isLate = () => performance.now() - began > this.#limits.organization;
    // Maybe in the future, where the clock was set back since.
    const since = Math.min(this.#aside.derivedTo(orgId) ?? derivedTo, now);
    const derived = await inSavepoint<Derived | null>(
      db,
      () =>
        deriveOrganization(db, orgId, organization, {
          ...{ now, since, share, isLate },
          ...{ feed: turn.feeds.get(orgId) ?? null, isRevised: turn.revised.has(orgId) },
          ...{ again: turn.again.get(orgId) ?? [], heard: turn.heard.get(orgId) },
        }),
      (error) => this.#setAside(db, { orgId, error }, derivedTo, part),
    );
    if (derived === null) {
      organizations.delete(orgId);
    } else if (!derived.hasRules) {
      organizations.delete(orgId);
      await this.#aside.remove(db, orgId);
    } else {
      turn.isBehind ||= derived.isBehind;
      append(part.told, derived.isChanged ? [orgId] : []);
      append(part.unknown, derived.unknown);
      await this.#takeBack(db, orgId, derived, part);
    }
  }

  /** All with rules, and of those set aside one that is due for a retry. */
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

  async #setAside(db: Connection, fault: DerivingFault, derivedTo: Micros, part: Part): Promise<null> {
    // They may be so many that this takes too long as well; it is tried again after the next failure.
    await inSavepoint(
      db,
      () => mergeRevisions(db, fault.orgId),
      async () => {},
    );
    if (await this.#aside.add(db, fault, derivedTo, performance.now())) {
      part.setAside.push(fault);
    }
    return null;
  }

  async #takeBack(db: Connection, orgId: number, { isBehind }: Derived, part: Part): Promise<void> {
    if (this.#aside.derivedTo(orgId) !== null) {
      this.#aside.back(orgId);
      if (!isBehind) {
        await this.#aside.remove(db, orgId);
        part.mended.push(orgId);
      }
    }
  }

  /** Everything is derived up to here, except organizations set aside, which are recorded separately. */
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
