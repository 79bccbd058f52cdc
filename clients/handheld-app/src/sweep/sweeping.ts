import { signal } from '@preact/signals';
import type { Answer } from '../gateway/answers.ts';
import type { GatewayClient } from '../gateway/client.ts';
import { type Place, placeOf } from '../gateway/place.ts';
import type { Database } from '../storage/database.ts';
import { keepList } from '../storage/known.ts';
import { latest } from '../storage/latest.ts';
import type { OtherTabs } from '../storage/other-tabs.ts';
import type { StoredScan } from '../storage/scan.ts';
import { countSweep } from './count-sweep.ts';
import { KeptSweep } from './kept-sweep.ts';
import type { SweepOutcome, SweptToCheck } from './outcome.ts';
import { type Sweep, wantsList } from './sweep.ts';
import { askWhere, keepWhereabouts } from './whereabouts.ts';

const NOTHING: SweepOutcome = { found: [], movedHere: [], missing: [], unknown: [], toCheck: [] };

export interface SweepingParts {
  database: Database;
  gateway: GatewayClient;
  clock(): Date;
  otherTabs: OtherTabs;
  /** Null while nobody is signed in. */
  token(): string | null;
}

export class Sweeping {
  readonly outcome = signal<SweepOutcome>(NOTHING);
  /** Null if unknown. */
  readonly expectedCount = signal<number | null>(null);
  /** Recomputes the outcome after scans or answers; debounced. */
  readonly recount = latest(() => this.#recount());
  readonly #kept: KeptSweep;
  readonly #database: Database;
  readonly #gateway: GatewayClient;
  readonly #clock: () => Date;
  readonly #otherTabs: OtherTabs;
  readonly #token: () => string | null;
  readonly #asking = new Set<string>();

  constructor({ database, gateway, clock, otherTabs, token }: SweepingParts) {
    this.#kept = new KeptSweep(database);
    this.#database = database;
    this.#gateway = gateway;
    this.#clock = clock;
    this.#otherTabs = otherTabs;
    this.#token = token;
  }

  get now() {
    return this.#kept.now;
  }

  async load(): Promise<void> {
    await this.#kept.load();
    await this.recount();
  }

  get open(): Sweep | null {
    return this.now.value?.finished_at === null ? this.now.value : null;
  }

  /** Starts at once: scans belong to it from now on, however long its list takes. */
  async start(id: string, place: Place): Promise<void> {
    const sweep: Sweep = {
      id,
      place: placeOf(place),
      started_at: this.#clock().toISOString(),
      finished_at: null,
      expected: null,
      fetched_at: null,
      list: 'awaited',
    };
    await this.#kept.begin(sweep);
    this.#otherTabs.tell();
    await this.recount();
    const kept = await this.#database.get('lists', place.id);
    if (kept !== undefined) {
      const { assets: expected, fetched_at } = kept;
      await this.#change(id, (now) => (now.fetched_at === null ? { ...now, expected, fetched_at } : now));
    }
    await this.#ask(sweep);
  }

  /** Fetches the list that was unavailable at the start, and compares. */
  async complete(): Promise<void> {
    const sweep = this.now.value;
    if (sweep !== null && wantsList(sweep)) {
      await this.#ask({ ...sweep, list: 'earlier' });
    }
  }

  async #ask({ id, place, list }: Sweep): Promise<void> {
    const token = this.#token();
    if (this.#asking.has(id)) {
      return;
    }
    this.#asking.add(id);
    const answer = await (token === null ? null : this.#gateway.assetsAt(token, place.id));
    this.#asking.delete(id);
    if (this.#token() !== token) {
      return; // it may be another organization's; whoever is signed in now asks anew
    }
    if (answer?.kind === 'ok') {
      const fetched_at = this.#clock().toISOString();
      await keepList(this.#database, place, answer.data, fetched_at);
      const isFirst = (await this.#database.countFromIndex('scans', 'sweep', id)) === 0;
      const which = list === 'earlier' ? 'later' : isFirst ? 'asked' : 'during';
      await this.#withList(id, { expected: answer.data, fetched_at, list: which });
    } else {
      await this.#withList(id, { list: isGone(answer) ? 'gone' : 'earlier' });
    }
  }

  /** The sweep may be over by now, or another tab has the list. */
  async #withList(id: string, has: Partial<Sweep>): Promise<void> {
    const sweep = this.now.value;
    if (sweep?.id === id && wantsList(sweep) && (has.list !== 'earlier' || sweep.list === 'awaited')) {
      await this.#change(id, (now) => (wantsList(now) ? { ...now, ...has } : now));
    }
  }

  /**
   * Asks where unexpected assets are that were only seen: here already, or elsewhere since. Without a network that
   * stays open.
   */
  async lookUp(answered: readonly StoredScan[]): Promise<void> {
    const sweep = this.now.value;
    const token = this.#token();
    if (sweep === null || token === null) {
      return;
    }
    const open = new Set(this.outcome.value.toCheck.filter(isAsset).map(({ what }) => what.id));
    const found = await askWhere(this.#gateway, token, open, answered);
    if (found.size > 0) {
      await keepWhereabouts(this.#database, sweep.id, found);
      this.#otherTabs.tell();
      await this.recount();
    }
  }

  async finish(): Promise<void> {
    const finished_at = this.#clock().toISOString();
    await this.#change(this.now.value?.id, (now) => ({ ...now, finished_at }));
  }

  async resume(): Promise<void> {
    await this.#change(this.now.value?.id, (now) => ({ ...now, finished_at: null }));
  }

  async clear(): Promise<void> {
    await this.#change(this.now.value?.id, () => null);
  }

  async #change(id: string | undefined, change: (sweep: Sweep) => Sweep | null): Promise<void> {
    if (await this.#kept.change(id, change)) {
      this.#otherTabs.tell();
      await this.recount();
    }
  }

  async #recount(): Promise<void> {
    const sweep = this.now.value;
    if (sweep === null) {
      this.outcome.value = NOTHING;
      this.expectedCount.value = null;
      return;
    }
    const { expectedCount, outcome } = await countSweep(this.#database, sweep);
    this.expectedCount.value = expectedCount;
    this.outcome.value = outcome;
  }
}

function isGone(answer: Answer<unknown> | null): boolean {
  return answer?.kind === 'refused' && answer.status === 404;
}

function isAsset({ why }: SweptToCheck): boolean {
  return why !== 'place';
}
