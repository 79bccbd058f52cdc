import { randomUUID } from 'node:crypto';
import type { Micros } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Unknown } from './derive-organization.ts';
import { AlertDeriver, type Part, type Turn } from './deriver.ts';
import type { DerivingFault } from './set-aside.ts';

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
