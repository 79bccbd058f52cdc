import { byTurns, inTurn } from '../../../base/by-turns.ts';
import { leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { limitStatements } from '../../../db/timescale/queries/limit-statements.ts';
import { inSavepoint } from '../../../db/timescale/queries/savepoint.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { StretchJoiner } from '../coverage/join-stretches.ts';
import { EXPECTED, leastExpectedFrom } from '../expectations.ts';
import { type Interval, joined } from '../intervals.ts';
import { PassedOver, reasonOf } from '../passed-over.ts';
import { findRevised } from '../revised-organizations.ts';
import { KEPT, keptWatches, loadWatches, tidyWatches } from '../watching/stored-watches.ts';
import { learn } from './learn.ts';
import { type LoadedEvidence, loadEvidence, type ReaderSince } from './load-evidence.ts';
import { type Silence, silencesOf } from './silences.ts';
import { keepSettled, storeSilences } from './store-silences.ts';
import { watchedBetween, watchedSince } from './watched-time.ts';

interface Reader extends ReaderSince {
  isSilent: boolean;
  /** When it may become silent; null without an expectation. */
  due: Micros | null;
  learnAt: Micros;
}

interface Wanted extends ReaderSince {
  /** The end of the turn before it was found: while it waits, another process must begin there. */
  derivedTo: Micros;
  /** Hours of evidence to read. */
  weight: number;
}

interface Organization {
  /** In order of arrival. */
  wanted: Map<number, Wanted>;
  /** The reader whose revision was taken last; the next has a higher id. */
  revisedUpTo: number;
}

/** An organization whose silences cannot be derived. */
export interface SilenceFault {
  orgId: number;
  error: unknown;
}

export interface SilenceTurn {
  derivedTo: Micros;
  /** Work is left for another turn. */
  isBehind: boolean;
  /** Organizations that the next turns skip for a while. */
  setAside: SilenceFault[];
}

/** Hours of readers' evidence that one batch reads: of 200 readers, or nearly all that is kept of one. */
const AT_ONCE = 200;
const HOUR: Micros = 3_600 * MICROS_PER_SECOND;

/** Milliseconds after which a turn begins no other batch. */
const LONGEST = 500;

/** Milliseconds. A slower statement is cancelled and its organization set aside, because others wait for it. */
const LONGEST_STATEMENT = 10_000;

/** Hours of evidence that are read at once after a failure. */
const SHARE = { first: AT_ONCE / 2, least: 1, all: AT_ONCE };

/** Readers learned again per turn: one that sends every minute has 10,000 stretches to read. */
const LEARNED_AT_ONCE = { known: 2, new: 20 };
const LEARN_EVERY = { known: 6 * HOUR, new: 300 * MICROS_PER_SECOND };

const TIDY_EVERY: Micros = HOUR;

/** Rows that another process commits later than this after their time are missed, which does little harm. */
const WATCHES_AGAIN: Micros = 60 * MICROS_PER_SECOND;

/**
 * Derives readers' silences turn by turn. It remembers when each reader may be silent and looks at it no sooner, so of
 * ten thousand readers that are heard a turn reads the few that are due. An organization that fails delays no other.
 */
export class SilenceDeriver {
  readonly #readers = new Map<number, Reader>();
  readonly #organizations = new Map<number, Organization>();
  readonly #aside = new PassedOver();
  /** The organization whose turn was last. */
  #last = 0;
  #watched: readonly Interval[] = [];
  #tidyAt: Micros = Number.NEGATIVE_INFINITY;
  #isLoaded = false;
  readonly #joiner = new StretchJoiner();
  readonly #longest: number;
  readonly #longestStatement: number;

  /**
   * @param longest milliseconds after which a turn begins no other batch.
   * @param longestStatement milliseconds after which a statement is cancelled and its organization set aside.
   */
  constructor(longest = LONGEST, longestStatement = LONGEST_STATEMENT) {
    this.#longest = longest;
    this.#longestStatement = longestStatement;
  }

  /**
   * Derives all of a turn in one transaction; after a failure this deriver must not be used again.
   *
   * @param derivedTo the end of the last turn of any process.
   */
  async turn(db: Connection, derivedTo: Micros): Promise<SilenceTurn> {
    const began = performance.now();
    const isLate = () => performance.now() - began > this.#longest;
    await this.#watch(db);
    const now = this.#watched.at(-1)?.until ?? derivedTo;
    if (!this.#isLoaded) {
      for (const reader of await findHeard(db, derivedTo)) {
        this.#want({ ...reader, derivedTo, weight: weightOf(reader.since, now) });
      }
      // An earlier process set them aside, and revised their readers: they are tried at once.
      for (const orgId of await findFaults(db)) {
        this.#aside.know(orgId);
      }
      this.#isLoaded = true;
    }
    const readers = [...this.#readers.values()];
    const due = readers.filter((reader) => !reader.isSilent && reader.due !== null && reader.due <= now);
    const again = await findHeardAgain(
      db,
      readers.filter(({ isSilent }) => isSilent),
    );
    for (const reader of [...due, ...again]) {
      this.#want({ ...reader, derivedTo, weight: 1 });
    }
    const revised = new Set(await findRevised(db, 'silence_revisions'));
    const turn: SilenceTurn = { derivedTo, isBehind: false, setAside: [] };
    await limitStatements(db, this.#longestStatement);
    const ids = [...new Set([...this.#organizations.keys(), ...revised])].filter(
      (id) => !this.#aside.isPassedOver(id, performance.now()),
    );
    const queue = inTurn(ids, this.#last);
    for (let orgId = queue.shift(); orgId !== undefined; orgId = queue.shift()) {
      this.#last = orgId;
      if (await this.#trying(db, orgId, turn, () => this.#deriveSome(db, orgId, revised, now))) {
        queue.push(orgId);
      }
      if (isLate() && queue.length > 0) {
        turn.isBehind = true;
        break;
      }
    }
    await this.#learn(db, turn, { now, isLate });
    for (const reader of await this.#joiner.due(db, now)) {
      await this.#trying(db, reader.orgId, turn, () => this.#joiner.join(db, reader));
    }
    await this.#tidy(db, now);
    const left = [...this.#organizations.values()].flatMap(({ wanted }) => [...wanted.values()]);
    turn.derivedTo = leastOf([now, ...left.map((reader) => reader.derivedTo)]);
    return turn;
  }

  #want(reader: Wanted): void {
    const { wanted } = this.#organization(reader.orgId);
    const other = wanted.get(reader.readerId);
    wanted.set(reader.readerId, {
      ...reader,
      since: Math.min(reader.since, other?.since ?? Number.POSITIVE_INFINITY),
      derivedTo: Math.min(reader.derivedTo, other?.derivedTo ?? Number.POSITIVE_INFINITY),
      weight: Math.max(reader.weight, other?.weight ?? 0),
    });
  }

  #organization(orgId: number): Organization {
    const organization = this.#organizations.get(orgId) ?? { wanted: new Map(), revisedUpTo: 0 };
    this.#organizations.set(orgId, organization);
    return organization;
  }

  /** @returns the result of `work`; false if it failed, or the organization is set aside. */
  async #trying(
    db: Connection,
    orgId: number,
    turn: SilenceTurn,
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    if (this.#aside.isPassedOver(orgId, performance.now())) {
      return false;
    }
    return inSavepoint(db, work, async (error) => {
      await this.#setAside(db, { orgId, error }, turn.derivedTo);
      turn.setAside.push({ orgId, error });
      return false;
    });
  }

  /** Revises all of its readers, so that any process can make up for it. */
  async #setAside(db: Connection, { orgId, error }: SilenceFault, derivedTo: Micros): Promise<void> {
    this.#aside.failed(orgId, performance.now());
    const wanted = [...(this.#organizations.get(orgId)?.wanted.values() ?? [])];
    // If this fails too, they are still wanted.
    await inSavepoint(
      db,
      async () => {
        await noteFault(db, { orgId, error });
        await reviseAll(db, orgId, { wanted, derivedTo });
        this.#organizations.delete(orgId);
        for (const [readerId, reader] of this.#readers) {
          if (reader.orgId === orgId) {
            this.#readers.delete(readerId);
          }
        }
      },
      async () => {},
    );
  }

  /** @returns whether more work of the organization may be left. */
  async #deriveSome(
    db: Connection,
    orgId: number,
    revised: ReadonlySet<number>,
    now: Micros,
  ): Promise<boolean> {
    const organization = this.#organization(orgId);
    const most = this.#aside.share(orgId, SHARE);
    const some = firstOf([...organization.wanted.values()], most);
    const room = most - some.reduce((sum, { weight }) => sum + weight, 0);
    const revisions = revised.has(orgId)
      ? await takeRevisions(db, orgId, organization, { most: room, now })
      : { taken: [], isLeft: false };
    const known = new Map(some.map((reader) => [reader.readerId, reader.since]));
    for (const { readerId, since } of revisions.taken) {
      known.set(readerId, Math.min(since, known.get(readerId) ?? Number.POSITIVE_INFINITY));
    }
    await this.#derive(
      db,
      [...known].map(([readerId, since]) => ({ orgId, readerId, since })),
      now,
    );
    for (const { readerId } of some) {
      organization.wanted.delete(readerId);
    }
    if (organization.wanted.size > 0 || revisions.isLeft) {
      return true;
    }
    this.#organizations.delete(orgId);
    if (this.#aside.succeeded(orgId)) {
      await db.exec(sql.type(NO_ROWS)`delete from silence_faults where org_id = ${orgId}`);
    }
    return false;
  }

  async #watch(db: Connection): Promise<void> {
    const last = this.#watched.at(-1)?.until;
    const news = await loadWatches(db, last === undefined ? null : last - WATCHES_AGAIN);
    this.#watched = joined([...this.#watched, ...news]);
  }

  async #derive(db: Connection, wanted: readonly ReaderSince[], now: Micros): Promise<void> {
    if (wanted.length === 0) {
      return;
    }
    const loaded = await loadEvidence(db, wanted);
    const derived = loaded.map((reader) => ({
      ...reader,
      derived: this.#silencesOf(reader),
    }));
    await storeSilences(db, derived);
    for (const reader of derived) {
      this.#remember(reader, reader.derived.at(-1)?.until === null, now);
    }
  }

  #silencesOf(reader: LoadedEvidence): Silence[] {
    const derived = silencesOf({ ...reader, watched: this.#watched });
    const kept = this.#watched[0]?.since ?? Number.NEGATIVE_INFINITY;
    const settled = watchedSince(this.#watched, kept, EXPECTED.most * MICROS_PER_SECOND);
    const [first] = reader.heard;
    return settled === null || first === undefined || first.until >= kept
      ? derived
      : keepSettled({ ...reader, derived }, settled);
  }

  async #tidy(db: Connection, now: Micros): Promise<void> {
    if (now < this.#tidyAt) {
      return;
    }
    this.#watched = keptWatches(this.#watched);
    await tidyWatches(db, this.#watched[0]?.since ?? now, now);
    this.#tidyAt = now + TIDY_EVERY;
  }

  #remember(
    { orgId, readerId, heard, expectations, deletedAt, isLearned }: LoadedEvidence,
    isSilent: boolean,
    now: Micros,
  ): void {
    const since = heard.at(-1)?.until;
    if (since === undefined || deletedAt !== null) {
      this.#readers.delete(readerId);
      return;
    }
    // Later settings are dated after the time watched so far.
    const expected = leastExpectedFrom(expectations, now);
    const known = this.#readers.get(readerId);
    this.#readers.set(readerId, {
      ...{ orgId, readerId, since, isSilent },
      due: expected === null ? null : now + expected - watchedBetween(this.#watched, since, now),
      learnAt:
        known === undefined ? now : Math.min(known.learnAt, now + LEARN_EVERY[isLearned ? 'known' : 'new']),
    });
  }

  /** Organizations take turns. At least one reader is learned, however late it is. */
  async #learn(
    db: Connection,
    turn: SilenceTurn,
    { now, isLate }: { now: Micros; isLate(): boolean },
  ): Promise<void> {
    // A silent reader teaches nothing new.
    const ready = [...this.#readers.values()]
      .filter(({ learnAt, isSilent }) => learnAt <= now && !isSilent)
      .sort((one, other) => one.learnAt - other.learnAt);
    const [known, fresh] = [ready.filter(({ due }) => due !== null), ready.filter(({ due }) => due === null)];
    // Older watches are not kept: assume that somebody listened then.
    const kept = this.#watched[0]?.since ?? now;
    const watched = [{ since: 0, until: kept }, ...this.#watched];
    for (const [index, reader] of [
      ...byTurns(known, ({ orgId }) => orgId).slice(0, LEARNED_AT_ONCE.known),
      ...byTurns(fresh, ({ orgId }) => orgId).slice(0, LEARNED_AT_ONCE.new),
    ].entries()) {
      if (index > 0 && isLate()) {
        break;
      }
      await this.#trying(db, reader.orgId, turn, async () => {
        await learn(db, [reader], watched);
        return true;
      });
      reader.learnAt = now + LEARN_EVERY[reader.due === null ? 'new' : 'known'];
    }
  }
}

/** Older evidence does not change, and its silences are stored. */
function oldestOf(since: Micros, now: Micros): Micros {
  return Math.max(since, now - KEPT);
}

function weightOf(since: Micros, now: Micros): number {
  return Math.max(1, Math.ceil((now - oldestOf(since, now)) / HOUR));
}

/** Up to a total weight, but at least one. */
function firstOf<Each extends { weight: number }>(readers: readonly Each[], most: number): Each[] {
  let sum = 0;
  return readers.filter(({ weight }, index) => {
    sum += weight;
    return index === 0 || sum <= most;
  });
}

/** Live readers that were heard. */
async function findHeard(db: Connection, since: Micros): Promise<ReaderSince[]> {
  const rows = await db.any(sql.type(rowsOf<{ org_id: number; reader_id: number }>())`
    select counted.org_id, counted.reader_id
    from reader_counters counted
    join readers reader on reader.org_id = counted.org_id and reader.id = counted.reader_id
      and reader.deleted_at is null
    where counted.heard_since is not null and ${isHere(sql.fragment`counted.org_id`)}
    order by counted.org_id, counted.reader_id`);
  return rows.map(({ org_id: orgId, reader_id: readerId }) => ({ orgId, readerId, since }));
}

async function findHeardAgain(db: Connection, silent: readonly Reader[]): Promise<ReaderSince[]> {
  if (silent.length === 0) {
    return [];
  }
  const rows = await db.any(sql.prepared('find-heard-again', rowsOf<{ reader_id: number }>())`
    select counted.reader_id
    from unnest(
        ${sql.binary(integers(silent.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(silent.map(({ readerId }) => readerId)))}::integer[],
        ${sql.binary(bigints(silent.map(({ since }) => since)))}::bigint[]) as given (org_id, reader_id, since)
      join reader_counters counted on counted.org_id = given.org_id and counted.reader_id = given.reader_id
    where counted.heard_until > time_of_micros(given.since)`);
  const again = new Set(rows.map(({ reader_id: readerId }) => readerId));
  return silent.filter(({ readerId }) => again.has(readerId));
}

async function findFaults(db: Connection): Promise<readonly number[]> {
  const rows = await db.any(sql.type(rowsOf<{ org_id: number }>())`
    select org_id from silence_faults fault where ${isHere(sql.fragment`fault.org_id`)}`);
  return rows.map(({ org_id: orgId }) => orgId);
}

/** For `doctor`. */
async function noteFault(db: Connection, { orgId, error }: SilenceFault): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    insert into silence_faults (org_id, reason) values (${orgId}, ${reasonOf(error)})
    on conflict (org_id) do update set reason = excluded.reason`);
}

/**
 * Deletes the taken revisions, and later joined stretches of these readers. Revisions that another transaction is
 * changing stay for the next turn.
 */
async function takeRevisions(
  db: Connection,
  orgId: number,
  organization: Organization,
  { most, now }: { most: number; now: Micros },
): Promise<{ taken: ReaderSince[]; isLeft: boolean }> {
  const found = await db.any(sql.prepared(
    'find-revisions-of-silences',
    rowsOf<{ reader_id: number; since: Micros }>(),
  )`
    select reader_id, micros_of_time(since) as since from silence_revisions
    where org_id = ${orgId}::integer and reader_id > ${organization.revisedUpTo}::integer
    order by reader_id limit ${AT_ONCE}::integer`);
  const weighed = found.map((each) => ({ ...each, weight: weightOf(each.since, now) }));
  const some = most > 0 ? firstOf(weighed, most) : [];
  const last = some.at(-1)?.reader_id ?? organization.revisedUpTo;
  const isLeft = some.length < found.length || found.length === AT_ONCE;
  organization.revisedUpTo = isLeft ? last : 0;
  const rows = await db.any(sql.prepared(
    'take-silence-revisions',
    rowsOf<{ reader_id: number; since: Micros }>(),
  )`
    delete from silence_revisions revised using (
      select reader_id from silence_revisions given
      where given.org_id = ${orgId}::integer
        and given.reader_id = any (${sql.binary(integers(some.map(({ reader_id: id }) => id)))}::integer[])
      for update skip locked
    ) free
    where revised.org_id = ${orgId}::integer and revised.reader_id = free.reader_id
    returning revised.reader_id, micros_of_time(revised.since) as since`);
  return {
    taken: rows.map(({ reader_id: readerId, since }) => ({ orgId, readerId, since: oldestOf(since, now) })),
    isLeft,
  };
}

async function reviseAll(
  db: Connection,
  orgId: number,
  { wanted, derivedTo }: { wanted: readonly Wanted[]; derivedTo: Micros },
): Promise<void> {
  const least = wanted.map((each) => Math.min(each.since, each.derivedTo));
  await db.exec(sql.prepared('revise-silences-of-all', NO_ROWS)`
    insert into silence_revisions as kept (org_id, reader_id, since)
    select counted.org_id, counted.reader_id, least(time_of_micros(${derivedTo}::bigint), time_of_micros(wanted.since))
    from reader_counters counted
      left join unnest(${sql.binary(integers(wanted.map(({ readerId }) => readerId)))}::integer[],
        ${sql.binary(bigints(least))}::bigint[]) as wanted (reader_id, since) on wanted.reader_id = counted.reader_id
    where counted.org_id = ${orgId}::integer and counted.heard_since is not null
    order by counted.reader_id
    on conflict (org_id, reader_id) do update set since = least(kept.since, excluded.since)`);
}
