import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { PoolClient } from './client.ts';
import { ORGANIZATION_ROLE } from './organization-role.ts';
import type { Preceding } from './preceded-query.ts';
import {
  askReplica,
  faultOfReplica,
  isAsFar,
  type PrimaryPosition,
  type ReplicaPosition,
} from './replica-position.ts';
import type { Scanned, ScanningPool } from './scanning-pool.ts';
import { isCancelled } from './sql-state.ts';

/** Milliseconds for the replica to catch up with the primary, and between questions whether it has. */
const PATIENCE = 100;
const EVERY = 5;

/** Milliseconds for which the primary answers after a replica was behind, and after it was lost or unusable. */
const AFTER_BEHIND = 1_000;
const AFTER_LOST = 10_000;

/**
 * Milliseconds that its clock may be ahead: whether a row is in effect depends on the clock of the server that answers.
 */
const AHEAD = 1_000;

export interface ReplicaReads {
  byReplica: number;
  byPrimary: number;
  /** Bytes of the log, when it was last asked. */
  bytesBehind: number;
}

/**
 * A standby that answers expensive queries, if it has everything the primary had when asked, after the request came. So
 * a read sees all earlier writes of any process. Position and query use one connection, because an address may lead to
 * several standbys. If anything is wrong with it, the primary answers.
 */
export class Replica {
  readonly reads: ReplicaReads = { byReplica: 0, byPrimary: 0, bytesBehind: 0 };
  readonly #pool: ScanningPool;
  readonly #askPrimary: (who: number) => Promise<PrimaryPosition>;
  #skippedUntil = Number.NEGATIVE_INFINITY;

  constructor(pool: ScanningPool, askPrimary: (who: number) => Promise<PrimaryPosition>) {
    this.#pool = pool;
    this.#askPrimary = askPrimary;
  }

  /** Null if the primary has to answer. */
  async query(
    who: number,
    preceding: Preceding,
    query: pg.QueryConfig,
    signal: AbortSignal | undefined,
  ): Promise<Scanned | null> {
    const scanned = await this.#query(who, preceding, query, signal);
    this.reads[scanned === null ? 'byPrimary' : 'byReplica'] += 1;
    return scanned;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #query(
    who: number,
    preceding: Preceding,
    query: pg.QueryConfig,
    signal: AbortSignal | undefined,
  ): Promise<Scanned | null> {
    if (performance.now() < this.#skippedUntil) {
      return null;
    }
    const askedAt = performance.now();
    // Its own answer to the query says what is wrong.
    const primary = await this.#askPrimary(who).catch(() => null);
    if (primary === null || primary.lsn === null) {
      return null;
    }
    try {
      return await this.#pool.query(preceding, query, signal, (client) =>
        this.#verify(client, { primary, askedAt, signal }),
      );
    } catch (error) {
      if (signal?.aborted || isCancelled(error)) {
        throw error;
      }
      // If the query itself is at fault, the primary refuses it as well.
      const isThere = error instanceof NotCaughtUp || error instanceof pg.DatabaseError;
      this.#skippedUntil = performance.now() + (isThere ? AFTER_BEHIND : AFTER_LOST);
      return null;
    }
  }

  async #verify(
    client: PoolClient,
    {
      primary,
      askedAt,
      signal,
    }: { primary: PrimaryPosition; askedAt: number; signal: AbortSignal | undefined },
  ): Promise<void> {
    const until = performance.now() + PATIENCE;
    for (;;) {
      const { rows } = await client.query<ReplicaPosition>(askReplica(primary.lsn));
      const [replica] = rows as [ReplicaPosition];
      const fault = faultOfReplica(replica, primary, ORGANIZATION_ROLE);
      if (fault !== null) {
        throw new Unusable(fault);
      }
      this.reads.bytesBehind = Math.max(0, replica.behind ?? 0);
      const ahead = replica.now - primary.now;
      if (isAsFar(replica, primary) && ahead >= 0 && ahead <= performance.now() - askedAt + AHEAD) {
        return;
      }
      if (performance.now() >= until) {
        throw new NotCaughtUp();
      }
      await pause(EVERY);
      signal?.throwIfAborted();
    }
  }
}

class NotCaughtUp extends Error {}

class Unusable extends Error {}
