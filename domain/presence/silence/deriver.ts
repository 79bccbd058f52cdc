import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { EXPECTED, leastExpectedFrom } from '../expectations.ts';
import { type Interval, joined } from '../intervals.ts';
import { StretchJoiner } from '../join-stretches.ts';
import { KEPT, keptWatches } from '../watching/kept-watches.ts';
import { loadWatches } from '../watching/load-watches.ts';
import { tidyWatches } from '../watching/tidy-watches.ts';
import { keepSettled } from './keep-settled.ts';
import { learn } from './learn.ts';
import { type LoadedEvidence, loadEvidence, type ReaderSince } from './load-evidence.ts';
import { type Silence, silencesOf } from './silences.ts';
import { storeSilences } from './store-silences.ts';
import { watchedBetween, watchedSince } from './watched-time.ts';

interface Reader extends ReaderSince {
  isSilent: boolean;
  /** When it may be silent; null if nothing is expected of it. */
  due: Micros | null;
  learnAt: Micros;
}

/** Readers in a statement. */
const AT_ONCE = 500;

/** Readers that are learned anew in a turn: one that sends every minute has 10,000 stretches to read. */
const LEARNED_AT_ONCE = { known: 2, new: 20 };
const LEARN_EVERY = { known: 6 * 3_600 * MICROS_PER_SECOND, new: 300 * MICROS_PER_SECOND };

const TIDY_EVERY: Micros = 3_600 * MICROS_PER_SECOND;

/** What is committed later than this after its time by another process is not found: nor is it of much use. */
const WATCHES_AGAIN: Micros = 60 * MICROS_PER_SECOND;

/**
 * Derives readers' silences turn by turn. It remembers when each reader may be silent and looks at it no sooner, so of
 * ten thousand readers that are heard a turn reads the few that are due.
 */
export class SilenceDeriver {
  readonly #readers = new Map<number, Reader>();
  #watched: readonly Interval[] = [];
  #tidyAt: Micros = Number.NEGATIVE_INFINITY;
  #isLoaded = false;
  readonly #joiner = new StretchJoiner();

  /**
   * All of a turn is one transaction; a deriver of which a turn failed is of no use any more.
   *
   * @param derivedTo where the last turn ended, of whichever process.
   * @returns where this one did.
   */
  async turn(db: Connection, derivedTo: Micros): Promise<Micros> {
    await this.#watch(db);
    const now = this.#watched.at(-1)?.until ?? derivedTo;
    const wanted = new Map<number, ReaderSince>();
    if (!this.#isLoaded) {
      for (const reader of await findHeard(db, derivedTo)) {
        wanted.set(reader.readerId, reader);
      }
      this.#isLoaded = true;
    }
    const readers = [...this.#readers.values()];
    for (const reader of readers.filter(({ due, isSilent }) => !isSilent && due !== null && due <= now)) {
      wanted.set(reader.readerId, reader);
    }
    for (const reader of await findHeardAgain(
      db,
      readers.filter(({ isSilent }) => isSilent),
    )) {
      wanted.set(reader.readerId, reader);
    }
    const revisions = await takeRevisions(db);
    for (const revised of revisions) {
      const other = wanted.get(revised.readerId);
      wanted.set(revised.readerId, {
        ...revised,
        // Before that nothing comes out of its order: what is older was copied to another database, silences with it.
        since: Math.min(Math.max(revised.since, now - KEPT), other?.since ?? Number.POSITIVE_INFINITY),
      });
    }
    const all = [...wanted.values()];
    for (let at = 0; at < all.length; at += AT_ONCE) {
      await this.#derive(db, all.slice(at, at + AT_ONCE), now);
    }
    await this.#learn(db, now);
    await this.#joiner.turn(db, now);
    await this.#tidy(db, now);
    return now;
  }

  async #watch(db: Connection): Promise<void> {
    const last = this.#watched.at(-1)?.until;
    const news = await loadWatches(db, last === undefined ? null : last - WATCHES_AGAIN);
    this.#watched = joined([...this.#watched, ...news]);
  }

  async #derive(db: Connection, wanted: readonly ReaderSince[], now: Micros): Promise<void> {
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
    // What was set since is dated later than what was watched so far.
    const expected = leastExpectedFrom(expectations, now);
    const known = this.#readers.get(readerId);
    this.#readers.set(readerId, {
      ...{ orgId, readerId, since, isSilent },
      due: expected === null ? null : now + expected - watchedBetween(this.#watched, since, now),
      learnAt:
        known === undefined ? now : Math.min(known.learnAt, now + LEARN_EVERY[isLearned ? 'known' : 'new']),
    });
  }

  async #learn(db: Connection, now: Micros): Promise<void> {
    // Of one that is silent nothing new can be learned.
    const ready = [...this.#readers.values()]
      .filter(({ learnAt, isSilent }) => learnAt <= now && !isSilent)
      .sort((one, other) => one.learnAt - other.learnAt);
    const some = [
      ...ready.filter(({ due }) => due !== null).slice(0, LEARNED_AT_ONCE.known),
      ...ready.filter(({ due }) => due === null).slice(0, LEARNED_AT_ONCE.new),
    ];
    if (some.length === 0) {
      return;
    }
    // Before this was kept somebody heard, as far as is known: gaps of then are the readers'.
    const kept = this.#watched[0]?.since ?? now;
    await learn(db, some, [{ since: 0, until: kept }, ...this.#watched]);
    for (const reader of some) {
      reader.learnAt = now + LEARN_EVERY[reader.due === null ? 'new' : 'known'];
    }
  }
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

/** Gone with the transaction that derives them, and what is joined of these readers since then with them. Those that a commit is about to change are left for the next turn. */
async function takeRevisions(db: Connection): Promise<ReaderSince[]> {
  const rows = await db.any(sql.prepared(
    'take-silence-revisions',
    rowsOf<{ org_id: number; reader_id: number; since: Micros }>(),
  )`
    delete from silence_revisions revised using (
      select org_id, reader_id from silence_revisions given
      where ${isHere(sql.fragment`given.org_id`)}
      for update skip locked
    ) free
    where revised.org_id = free.org_id and revised.reader_id = free.reader_id
    returning revised.org_id, revised.reader_id, micros_of_time(revised.since) as since`);
  return rows.map(({ org_id: orgId, reader_id: readerId, since }) => ({ orgId, readerId, since }));
}
