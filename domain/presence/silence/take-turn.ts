import { randomUUID } from 'node:crypto';
import type { Micros } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { SilenceDeriver, type SilenceFault, type SilenceTurn } from './deriver.ts';

/**
 * Derives silences, in the one process that does. A turn is carried out whole or not at all, and the next one, in
 * any process, begins where the last one ended.
 */
export class SilenceTurns {
  readonly #pool: Pool;
  readonly #id = randomUUID();
  readonly #onSetAside: (fault: SilenceFault) => void;
  readonly #longest: number | undefined;
  #deriver: SilenceDeriver | null = null;
  #isBehind = false;

  /**
   * @param onSetAside called for each organization that the next turns skip for a while.
   * @param longest as for {@link SilenceDeriver}.
   */
  constructor(pool: Pool, onSetAside: (fault: SilenceFault) => void = () => {}, longest?: number) {
    this.#pool = pool;
    this.#onSetAside = onSetAside;
    this.#longest = longest;
  }

  /** Whether the last turn left work for another. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  async take(): Promise<void> {
    const deriver = this.#deriver;
    this.#deriver = null;
    this.#isBehind = false;
    const taken = await inTransaction(this.#pool, (transaction, attempt) =>
      this.#turn(transaction, attempt === 1 ? deriver : null),
    );
    this.#deriver = taken.deriver;
    this.#isBehind = taken.turn.isBehind;
    for (const fault of taken.turn.setAside) {
      this.#onSetAside(fault);
    }
  }

  async #turn(
    transaction: Connection,
    before: SilenceDeriver | null,
  ): Promise<{ deriver: SilenceDeriver; turn: SilenceTurn }> {
    const last = await transaction.maybeOne(sql.prepared(
      'find-derived-silences',
      rowsOf<{ derived_to: Micros; derived_by: string | null }>(),
    )`
      select micros_of_time(derived_to) as derived_to, derived_by::text from silence_derivation`);
    // This process's memory is outdated if another has derived since.
    const deriver = (last?.derived_by === this.#id ? before : null) ?? new SilenceDeriver(this.#longest);
    const turn = await deriver.turn(transaction, last?.derived_to ?? (await now(transaction)));
    await transaction.exec(sql.prepared('keep-derived-silences', NO_ROWS)`
      insert into silence_derivation as kept (derived_to, derived_by, derived_at)
      values ((${sql.binary(timestamps([turn.derivedTo]))}::timestamptz[])[1], ${this.#id}::uuid, clock_timestamp())
      on conflict (is_only) do update set derived_to = greatest(kept.derived_to, excluded.derived_to),
        derived_by = excluded.derived_by, derived_at = excluded.derived_at`);
    return { deriver, turn };
  }
}

async function now(db: Connection): Promise<Micros> {
  const row = await db.one(
    sql.type(rowsOf<{ now: Micros }>())`select micros_of_time(clock_timestamp()) as now`,
  );
  return row.now;
}
