import { computed, signal } from '@preact/signals';
import type { GatewayClient } from '../gateway/client.ts';
import type { Location } from '../gateway/place.ts';
import type { Database } from '../storage/database.ts';
import { LocationTree } from './tree.ts';

/** The tree as last fetched. */
export interface KeptTree {
  fetched_at: string;
  locations: Location[];
}

export class Places {
  readonly kept = signal<KeptTree | null>(null);
  readonly tree = computed(() => new LocationTree(this.kept.value?.locations ?? []));
  readonly #database: Database;
  readonly #gateway: GatewayClient;
  readonly #now: () => Date;

  constructor(database: Database, gateway: GatewayClient, now: () => Date) {
    this.#database = database;
    this.#gateway = gateway;
    this.#now = now;
  }

  async load(): Promise<void> {
    this.kept.value = ((await this.#database.get('kept', 'tree')) as KeptTree | undefined) ?? null;
  }

  async keep(locations: Location[]): Promise<void> {
    const tree = { fetched_at: this.#now().toISOString(), locations };
    await this.#database.put('kept', tree, 'tree');
    this.kept.value = tree;
  }

  /**
   * Fetches the tree; without a network the last one stays.
   *
   * @param isCurrent whether the token is still in use: the answer may be another organization's.
   */
  async refresh(token: string, isCurrent: () => boolean): Promise<void> {
    const answer = await this.#gateway.locations(token);
    if (answer.kind === 'ok' && isCurrent()) {
      await this.keep(answer.data);
    }
  }
}
