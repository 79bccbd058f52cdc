import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '../../../base/errors.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';
import type { Address, Wanted } from './database-url.ts';
import { sqlStateOf } from './sql-state.ts';

/** Milliseconds between questions to a server that is not the wanted one, and for its answer. */
const EVERY = 100;
const PATIENCE = 2_000;

/** `protocol_violation`: a pooler in between, which refuses start-up options each time. */
const REFUSED_BY_POOLER = '08P01';

/**
 * The servers of one database, of which another may be the primary at any time. All are asked at once, since one that
 * vanished does not refuse, and again until one is what is wanted: during a switchover callers wait a moment rather than
 * fail. Connections opened at the same time share an answer; none is remembered, for it may be wrong by the next one.
 */
export class Servers {
  readonly wanted: Wanted;
  readonly #addresses: readonly Address[];
  readonly #config: pg.ClientConfig;
  #finding: Promise<Address> | null = null;

  /** @param config of connections to any of them. */
  constructor(addresses: readonly Address[], wanted: Wanted, config: pg.ClientConfig) {
    this.wanted = wanted;
    this.#addresses = addresses;
    this.#config = config;
  }

  /**
   * @param within milliseconds.
   * @throws what each of them answered, as the loss of a connection; the refusal itself if all refuse for good.
   */
  find(within: number): Promise<Address> {
    this.#finding ??= this.#find(within).finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #find(within: number): Promise<Address> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), within);
    try {
      return await Promise.any(this.#addresses.map((address) => this.#await(address, over.signal)));
    } catch (thrown) {
      const { errors } = thrown as AggregateError;
      throw errors.every((error) => error instanceof pg.DatabaseError)
        ? errors[0]
        : new Error(`no ${this.wanted} among ${errors.map(messageOf).join(', ')}`, { cause: errors[0] });
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  async #await(address: Address, signal: AbortSignal): Promise<Address> {
    let reason = 'does not answer';
    while (!signal.aborted) {
      try {
        if (await this.#isWanted(address, signal)) {
          return address;
        }
        reason = this.wanted === 'primary' ? 'takes no changes' : 'is no standby';
      } catch (error) {
        if (!isConnectionLost(thrownByPg(error)) || sqlStateOf(error) === REFUSED_BY_POOLER) {
          throw error;
        }
        // What it answered last says more than that its time is over.
        reason = signal.aborted ? reason : messageOf(error);
      }
      await pause(EVERY, undefined, { signal }).catch(() => {});
    }
    throw new Error(`${address.host}:${address.port} (${reason})`);
  }

  async #isWanted(address: Address, signal: AbortSignal): Promise<boolean> {
    const client = new pg.Client({
      ...this.#config,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    Object.assign(client, address).on('error', () => {});
    const leave = () => client.connection.stream.destroy();
    signal.addEventListener('abort', leave);
    try {
      await client.connect();
      const { rows } = await client.query<{ is_standby: boolean; is_read_only: boolean }>(
        `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`,
      );
      return this.wanted === 'primary' ? rows[0]?.is_read_only === false : rows[0]?.is_standby === true;
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
    }
  }
}
