import { randomUUID } from 'node:crypto';
import type { Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { AlertDeriver } from './deriver.ts';

export type TurnTaken = 'nothing_to_do' | 'another_derives' | 'derived' | 'behind';

/**
 * Derives alerts if no other process does: the advisory lock is held by the transaction of a turn, so two never derive at
 * once, and who derived within three seconds goes on. A process that is killed, or hangs, is followed by another after that;
 * its turn is carried out whole or not at all, and the next one begins where the last one ended.
 */
export class AlertTurns {
  readonly #pool: Pool;
  readonly #id = randomUUID();
  #deriver: AlertDeriver | null = null;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async take(): Promise<TurnTaken> {
    const before = this.#deriver;
    this.#deriver = null;
    const { taken, deriver } = await inTransaction(this.#pool, (transaction, attempt) =>
      this.#turn(transaction, attempt === 1 ? before : null),
    );
    this.#deriver = deriver;
    return taken;
  }

  async #turn(
    transaction: Connection,
    before: AlertDeriver | null,
  ): Promise<{ taken: TurnTaken; deriver: AlertDeriver | null }> {
    const { has_rules: hasRules, is_mine: isMine } = await transaction.one(sql.prepared(
      'lock-alerts',
      rowsOf<{ has_rules: boolean; is_mine: boolean | null }>(),
    )`
      select asked.has_rules,
        case when asked.has_rules then pg_try_advisory_xact_lock(${ADVISORY_LOCKS.alerts}) end as is_mine
      from (select exists (select from rules) as has_rules) asked`);
    if (!hasRules) {
      return { taken: 'nothing_to_do', deriver: before };
    }
    if (isMine !== true) {
      // Maybe only to see who derives: what this process knows is of use unless another has.
      return { taken: 'another_derives', deriver: before };
    }
    const last = await transaction.one(sql.prepared(
      'find-derived-alerts',
      rowsOf<{ derived_to: Micros; derived_by: string | null; is_recent: boolean | null }>(),
    )`
      select micros_of_time(coalesce(last.derived_to, clock_timestamp())) as derived_to, last.derived_by::text,
        -- Not where the database's clock was set back since.
        last.derived_at between clock_timestamp() - interval '3 seconds' and clock_timestamp() + interval '3 seconds'
          as is_recent
      from (select) always left join alert_derivation last on true`);
    const isOwn = last.derived_by === this.#id;
    if (!isOwn && last.is_recent === true) {
      return { taken: 'another_derives', deriver: null };
    }
    const deriver = (isOwn ? before : null) ?? new AlertDeriver();
    const turn = await deriver.turn(transaction, last.derived_to);
    await transaction.exec(sql.prepared('keep-derived-alerts', NO_ROWS)`
      insert into alert_derivation as kept (derived_to, derived_by, derived_at)
      values ((${sql.binary(timestamps([turn.derivedTo]))}::timestamptz[])[1], ${this.#id}::uuid, clock_timestamp())
      on conflict (is_only) do update set derived_to = greatest(kept.derived_to, excluded.derived_to),
        derived_by = excluded.derived_by, derived_at = excluded.derived_at`);
    return { taken: turn.isBehind ? 'behind' : 'derived', deriver };
  }
}
