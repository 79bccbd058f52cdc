import { setTimeout as pause } from 'node:timers/promises';
import {
  bigints,
  doubles,
  integers,
  smallints,
  texts,
} from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { KEPT_ATTEMPTS } from '../attempts.ts';
import type { Attempt } from '../sending/deliver.ts';

export interface LaneState {
  orgId: number;
  webhookId: number;
  lane: number;
  position: number;
  attemptedPosition: number | null;
  attempts: number;
  /** Seconds from now; null for at once. */
  dueIn: number | null;
}

export interface NotedAttempt extends Attempt {
  position: number;
  /** From 1. */
  number: number;
}

interface Noted {
  state: LaneState;
  attempt: NotedAttempt | null;
  settle: PromiseWithResolvers<void>;
}

/** Another process has the lane, or its progress was reset: nothing was written. */
export class LaneLost extends Error {}

/** Attempts of a webhook after which its old ones are pruned. */
const PRUNED_EVERY = 100;

/** Milliseconds between retries while the database does not answer. */
const AGAIN = 200;

/**
 * Records the outcomes of deliveries, for all lanes of a process together: one statement at a time, with everything
 * that came meanwhile (group commit). So a slow commit delays only the next event of the same asset.
 */
export class Recorder {
  readonly #db: Connection;
  readonly #deliverer: string;
  readonly #mayWrite: () => boolean;
  readonly #onFault: (error: unknown) => void;
  #noted: Noted[] = [];
  #flushing: Promise<void> | null = null;
  /** Attempts since the last pruning, by webhook. */
  readonly #unpruned = new Map<number, number>();

  /** @param mayWrite false once the process has lost its lanes; unwritten outcomes are then dropped. */
  constructor(db: Connection, deliverer: string, mayWrite: () => boolean, onFault: (error: unknown) => void) {
    this.#db = db;
    this.#onFault = onFault;
    this.#deliverer = deliverer;
    this.#mayWrite = mayWrite;
  }

  /** Resolves when it is committed. @throws LaneLost. */
  note(state: LaneState, attempt: NotedAttempt | null): Promise<void> {
    const settle = Promise.withResolvers<void>();
    this.#noted.push({ state, attempt, settle });
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null;
    });
    return settle.promise;
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    while (this.#flushing !== null) {
      await this.#flushing;
    }
  }

  async #flush(): Promise<void> {
    // Answers that arrive in one turn of the event loop share a statement.
    await new Promise(setImmediate);
    while (this.#noted.length > 0) {
      const batch = this.#noted;
      this.#noted = [];
      const written = await this.#writeUntilWritten(batch);
      for (const { state, settle } of batch) {
        if (written.has(keyOf(state.webhookId, state.lane))) {
          settle.resolve();
        } else {
          settle.reject(new LaneLost());
        }
      }
      await this.#prune(batch).catch(() => {});
    }
  }

  /** @returns keys of the lanes that this process still had. */
  async #writeUntilWritten(batch: readonly Noted[]): Promise<ReadonlySet<string>> {
    while (this.#mayWrite()) {
      try {
        return await this.#write(batch);
      } catch (error) {
        this.#onFault(error);
        await pause(AGAIN);
      }
    }
    return new Set();
  }

  async #write(batch: readonly Noted[]): Promise<ReadonlySet<string>> {
    // The last state of a lane includes its earlier ones.
    const states = [
      ...new Map(batch.map(({ state }) => [keyOf(state.webhookId, state.lane), state])).values(),
    ];
    const tried = batch.flatMap(({ state, attempt }) => (attempt === null ? [] : [{ state, attempt }]));
    const rows = await this.#db.any(sql.prepared(
      'record-deliveries',
      rowsOf<{ webhook_id: number; lane: number }>(),
    )`
      with recorded as (
        update webhook_lanes lane set position = given.position, attempted_position = given.attempted_position,
          attempts = given.attempts, due_at = clock_timestamp() + make_interval(secs => given.due_in)
        from unnest(
          ${sql.binary(integers(states.map(({ orgId }) => orgId)))}::integer[],
          ${sql.binary(integers(states.map(({ webhookId }) => webhookId)))}::integer[],
          ${sql.binary(smallints(states.map(({ lane }) => lane)))}::smallint[],
          ${sql.binary(bigints(states.map(({ position }) => position)))}::bigint[],
          ${sql.binary(bigints(states.map(({ attemptedPosition }) => attemptedPosition)))}::bigint[],
          ${sql.binary(smallints(states.map(({ attempts }) => attempts)))}::smallint[],
          ${sql.binary(doubles(states.map(({ dueIn }) => dueIn)))}::double precision[]
        ) as given (org_id, webhook_id, lane, position, attempted_position, attempts, due_in)
        where lane.org_id = given.org_id and lane.webhook_id = given.webhook_id and lane.lane = given.lane
          and lane.deliverer = ${this.#deliverer}::uuid and not lane.is_reset
        returning lane.org_id, lane.webhook_id, lane.lane
      ),
      kept as (
        insert into webhook_attempts
          (org_id, webhook_id, at, event_id, position, attempt, status, error, milliseconds, answer)
        select org_id, webhook_id, clock_timestamp() - make_interval(secs => given.age), event_id, position, attempt,
          status, error, milliseconds, answer
        from unnest(
          ${sql.binary(integers(tried.map(({ state }) => state.orgId)))}::integer[],
          ${sql.binary(integers(tried.map(({ state }) => state.webhookId)))}::integer[],
          ${sql.binary(smallints(tried.map(({ state }) => state.lane)))}::smallint[],
          ${sql.binary(texts(tried.map(({ attempt }) => attempt.eventId)))}::text[],
          ${sql.binary(bigints(tried.map(({ attempt }) => attempt.position)))}::bigint[],
          ${sql.binary(smallints(tried.map(({ attempt }) => attempt.number)))}::smallint[],
          ${sql.binary(smallints(tried.map(({ attempt }) => attempt.status)))}::smallint[],
          ${sql.binary(texts(tried.map(({ attempt }) => attempt.error)))}::text[],
          ${sql.binary(integers(tried.map(({ attempt }) => attempt.milliseconds)))}::integer[],
          ${sql.binary(texts(tried.map(({ attempt }) => attempt.answer)))}::text[],
          ${sql.binary(doubles(tried.map(({ attempt }) => attempt.milliseconds / 1_000)))}::double precision[]
        ) with ordinality as given (org_id, webhook_id, lane, event_id, position, attempt, status, error, milliseconds,
          answer, age, number)
        join recorded using (org_id, webhook_id, lane)
        order by given.number
      )
      select webhook_id, lane from recorded`);
    return new Set(rows.map(({ webhook_id: webhookId, lane }) => keyOf(webhookId, lane)));
  }

  async #prune(batch: readonly Noted[]): Promise<void> {
    const due: { orgId: number; webhookId: number }[] = [];
    for (const { state, attempt } of batch) {
      const { orgId, webhookId } = state;
      const count = (this.#unpruned.get(webhookId) ?? 0) + Number(attempt !== null);
      this.#unpruned.set(webhookId, count % PRUNED_EVERY);
      if (count === PRUNED_EVERY) {
        due.push({ orgId, webhookId });
      }
    }
    if (due.length > 0) {
      await pruneAttempts(this.#db, due);
    }
  }
}

/** Drops all but the newest {@link KEPT_ATTEMPTS} of each. */
async function pruneAttempts(
  db: Connection,
  owners: readonly { orgId: number; webhookId: number }[],
): Promise<void> {
  await db.exec(sql.prepared('prune-attempts', NO_ROWS)`
    delete from webhook_attempts attempt
    using (
      select given.org_id, given.webhook_id, (
        select kept.id from webhook_attempts kept
        where kept.org_id = given.org_id and kept.webhook_id = given.webhook_id
        order by kept.id desc limit 1 offset ${KEPT_ATTEMPTS - 1}
      ) as first_id
      from unnest(
        ${sql.binary(integers(owners.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(owners.map(({ webhookId }) => webhookId)))}::integer[]
      ) as given (org_id, webhook_id)
    ) given
    where attempt.org_id = given.org_id and attempt.webhook_id = given.webhook_id and attempt.id < given.first_id`);
}

function keyOf(webhookId: number, lane: number): string {
  return `${webhookId}/${lane}`;
}
