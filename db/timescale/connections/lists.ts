import pg from 'pg';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import { nameOf } from '../queries/composed-statements.ts';
import { BRIEF, entering, enteringBriefly } from './enter-organization.ts';
import { type PipelinedConnections, WEIGHT } from './pipelined-connections.ts';
import { PATIENCE, type ScanningConnections, WAITING_PER_ORGANIZATION } from './scanning-connections.ts';

/** Brief lists of an organization that are under way at once. */
const BRIEF_AT_ONCE = 5;

/**
 * After so many in a row that took so many milliseconds an organization's brief lists go one at a time, until one that does
 * takes less: a page of locations of which one has 10,000 tags takes PostgreSQL 19 ms, and while a burst of 120 was read
 * five at a time, the 99th percentile of others' look-ups was 290 ms; 40 so. Ordinary pages take 1 ms, and 3.4 where
 * five at a time keep two processors busy.
 */
const HEAVY = { inARow: 5, ms: 8 };

/** Milliseconds for which an organization's lists are taken to be long, once one was. */
const REMEMBERED = 60_000;

/** How a list is read. */
export interface ListOptions {
  /**
   * Whether the list reads little for all that is known beforehand. It then goes with the look-ups, prepared under a
   * name, for {@link BRIEF} milliseconds at most. What takes longer is begun anew with the lists that may read much: few of an
   * organization at a time, on connections of their own, within a time limit; and so are the organization's next ones.
   */
  isBrief: boolean;
  /**
   * As how many look-ups a brief list counts that can read no more than so many rows, whatever there is. It waits for no
   * turn and travels together with others, as look-ups do.
   */
  lookUps?: number | undefined;
  /** If aborted, a list that may read much is dropped from the queue, or cancelled. */
  signal: AbortSignal | undefined;
}

/** Sends lists where they are in nobody's way. */
export class Lists {
  readonly #shared: PipelinedConnections;
  readonly #scanning: ScanningConnections;
  /** Until when, and for which, by the organization; those that count as look-ups apart. */
  readonly #long = new Map<number | string, { until: number; text: string }>();

  /** So that a burst of lists that turn out to be long delays others by {@link BRIEF} and not by many times that. */
  readonly #turns: FairSemaphore<number>;
  readonly #heavyTurns: FairSemaphore<number>;
  /** How many brief lists in a row were heavy, by the organization; nothing of most. */
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
    { isBrief, lookUps, signal }: ListOptions,
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
    const since = performance.now();
    const result = await this.#scanning.query(orgId, entering(orgId), query, signal);
    // It was the machine that was slow: lists of an organization so remembered took twice the time for a minute.
    const kind = lookUps === undefined ? orgId : `${orgId} by key`;
    if (performance.now() - since < BRIEF && this.#long.get(kind)?.text === query.text) {
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
      if (result !== null) {
        this.#noteTime(orgId, performance.now() - since);
      }
      return result;
    };
    // What waits is as heavy as what was found to be so meanwhile.
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
   * Null if the query has to go another way.
   *
   * @param kind of lists, that are long together.
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
      // Where preparing it was cancelled, those sent behind it find nothing prepared.
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

/** Whether the database gave a statement up because its time had passed, or because it was told to. */
export function isCancelled(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === QUERY_CANCELED;
}

function isUnprepared(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === INVALID_SQL_STATEMENT_NAME;
}

const INVALID_SQL_STATEMENT_NAME = '26000';
const QUERY_CANCELED = '57014';
