import pg from 'pg';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import { nameOf } from '../queries/composed-statements.ts';
import { type PipelinedConnections, WEIGHT } from './pipelined-connections.ts';
import { BRIEF, entering, enteringBriefly, enteringForWhole } from './preceded-query.ts';
import { PATIENCE, type ScanningConnections, WAITING_PER_ORGANIZATION } from './scanning-connections.ts';
import { isCancelled } from './sql-state.ts';

const BRIEF_AT_ONCE = 5;

/**
 * After `inARow` lists of `ms` milliseconds or more, an organization's brief lists run one at a time until one is
 * quicker. A page of locations, one with 10,000 tags, takes PostgreSQL 19 ms; 120 of these, five at a time, made the
 * p99 of others' look-ups 290 ms, now 40. Ordinary pages take 1 ms, and 3.4 if five at a time keep two processors busy.
 */
const HEAVY = { inARow: 5, ms: 8 };

/** Milliseconds for which an organization's lists count as long after a long one. */
const REMEMBERED = 60_000;

export interface ListOptions {
  /**
   * True if expected to read little. It is then pipelined with the look-ups, as a named statement, for {@link
   * BRIEF} milliseconds at most. If it takes longer it starts over among the lists that may read much (few of
   * an organization at a time, on connections of their own, within a time limit), and so do the
   * organization's next ones.
   */
  isBrief: boolean;
  /**
   * True if it joins whole tables instead of looking up a row for each of another. While their statistics are missing it
   * is planned without nested loops.
   */
  isWhole?: boolean;
  /**
   * Weight, in look-ups, of a brief list that cannot read more than so many rows. It waits for no turn and is pipelined
   * like a look-up.
   */
  lookUps?: number | undefined;
  /**
   * True if the answer is compared with a later one of the primary, like a position in the feed: a replica may show a
   * commit just before the primary does, which waits for other standbys.
   */
  fromPrimary?: boolean;
  signal: AbortSignal | undefined;
}

export class Lists {
  readonly #shared: PipelinedConnections;
  readonly #scanning: ScanningConnections;
  /** Expiry and text of a long list, by organization; lists that count as look-ups separately. */
  readonly #long = new Map<number | string, { until: number; text: string }>();

  /** Limits the delay of others to about {@link BRIEF} when a burst of lists turns out to be long. */
  readonly #turns: FairSemaphore<number>;
  readonly #heavyTurns: FairSemaphore<number>;
  /** Heavy brief lists in a row, by organization; absent for most. */
  readonly #heavy = new Map<number, number>();

  constructor(shared: PipelinedConnections, scanning: ScanningConnections) {
    this.#shared = shared;
    this.#scanning = scanning;
    const atOnce = (count: number) =>
      new FairSemaphore<number>({
        total: Number.POSITIVE_INFINITY,
        perKey: count,
        perKeyWithRoom: count,
        waitingPerKey: WAITING_PER_ORGANIZATION,
        patience: PATIENCE,
      });
    this.#turns = atOnce(BRIEF_AT_ONCE);
    this.#heavyTurns = atOnce(1);
  }

  async query(
    orgId: number,
    query: pg.QueryConfig,
    { isBrief, isWhole = false, lookUps, fromPrimary = false, signal }: ListOptions,
  ): Promise<pg.QueryResult> {
    const brief =
      lookUps !== undefined
        ? await this.#briefly(orgId, query, lookUps * WEIGHT.lookUp, `${orgId} by key`)
        : isBrief
          ? await this.#inTurn(orgId, query, signal)
          : null;
    if (brief !== null) {
      return brief;
    }
    const preceding = isWhole ? enteringForWhole(orgId) : entering(orgId);
    const { result, tookMs } = await this.#scanning.query(orgId, preceding, query, { signal, fromPrimary });
    // The machine was slow, not the list: otherwise the organization's lists took twice the time for a minute.
    const kind = lookUps === undefined ? orgId : `${orgId} by key`;
    if (tookMs < BRIEF && this.#long.get(kind)?.text === query.text) {
      this.#long.delete(kind);
    }
    return result;
  }

  #inTurn(
    orgId: number,
    query: pg.QueryConfig,
    signal: AbortSignal | undefined,
  ): Promise<pg.QueryResult | null> {
    const timed = async () => {
      const since = performance.now();
      const result = await this.#briefly(orgId, query, WEIGHT.list, orgId);
      const tookMs = performance.now() - since;
      // Null at once means that they are known to be long; null after a while, that this one is.
      if (result !== null || tookMs >= HEAVY.ms) {
        this.#noteTime(orgId, tookMs);
      }
      return result;
    };
    // Checked again in turn: lists may have proved heavy while this one waited.
    const inTurn = () => (this.#isHeavy(orgId) ? this.#heavyTurns.run(orgId, timed, signal) : timed());
    return this.#turns.run(orgId, inTurn, signal);
  }

  #isHeavy(orgId: number): boolean {
    return (this.#heavy.get(orgId) ?? 0) >= HEAVY.inARow;
  }

  #noteTime(orgId: number, tookMs: number): void {
    if (tookMs < HEAVY.ms) {
      this.#heavy.delete(orgId);
    } else {
      this.#heavy.set(orgId, (this.#heavy.get(orgId) ?? 0) + 1);
    }
  }

  /**
   * Null if the query must be sent another way.
   *
   * @param kind lists of one kind count as long together.
   */
  async #briefly(
    orgId: number,
    query: pg.QueryConfig,
    weight: number,
    kind: number | string,
  ): Promise<pg.QueryResult | null> {
    if (this.#isLong(kind)) {
      return null;
    }
    try {
      const named = { ...query, name: query.name ?? nameOf(query.text) };
      return await this.#shared.query(enteringBriefly(orgId), named, weight);
    } catch (error) {
      // If its preparation was cancelled, later uses on that connection find nothing prepared.
      if (!isCancelled(error) && !isUnprepared(error)) {
        throw error;
      }
      this.#long.set(kind, { until: performance.now() + REMEMBERED, text: query.text });
      return null;
    }
  }

  #isLong(kind: number | string): boolean {
    const long = this.#long.get(kind);
    if (long !== undefined && long.until < performance.now()) {
      this.#long.delete(kind);
    }
    return this.#long.has(kind);
  }
}

function isUnprepared(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === INVALID_SQL_STATEMENT_NAME;
}

const INVALID_SQL_STATEMENT_NAME = '26000';
