import type pg from 'pg';
import { spreadOf } from '../../support/statistics.ts';

/**
 * How long the server works on each kind of statement of its database, where it has `pg_stat_statements` loaded. Elapsed
 * times: to be read on a machine with little else to do.
 */
export class StatementTimes {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** From now on; null where the server does not tell. */
  static async of(client: pg.Client): Promise<StatementTimes | null> {
    const { rows } = await client.query<{ loaded: string }>(
      `select current_setting('shared_preload_libraries') as loaded`,
    );
    if (rows[0]?.loaded.includes('pg_stat_statements') !== true) {
      return null;
    }
    await client.query('create extension if not exists pg_stat_statements');
    await client.query('select pg_stat_statements_reset()');
    return new StatementTimes(client);
  }

  /** Microseconds for each of `count`, by statement. */
  async since(count: number): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#client.query<{ query: string; time: number }>(
      `select query, total_exec_time + total_plan_time as time
       from pg_stat_statements stored join pg_database database on database.oid = stored.dbid
       where database.datname = current_database()`,
    );
    const times = new Map<string, number>();
    for (const { query, time } of rows) {
      const name = query.replaceAll(/\s+/g, ' ').slice(0, NAMED_BY);
      times.set(name, (times.get(name) ?? 0) + (time * 1_000) / count);
    }
    return times;
  }

  static report(rounds: readonly ReadonlyMap<string, number>[]): void {
    const names = new Set(rounds.flatMap((round) => [...round.keys()]));
    const medians = [...names].map((name): [string, number] => [
      name,
      spreadOf(rounds.map((round) => round.get(name) ?? 0)).median,
    ]);
    for (const [name, time] of medians.toSorted(([, a], [, b]) => b - a).slice(0, SHOWN)) {
      console.log(`      ${time.toFixed(2).padStart(6)}  ${name}`);
    }
  }
}

/** Characters of a statement that tell it from others. */
const NAMED_BY = 90;

const SHOWN = 24;
