import { computed, signal } from '@preact/signals';
import type { GatewayClient } from '../gateway/client.ts';
import type { Location } from '../gateway/place.ts';
import type { KeptTree } from '../places/places.ts';
import type { Database } from '../storage/database.ts';
import type { OtherTabs } from '../storage/other-tabs.ts';
import { handheldOf } from './token.ts';

/** The device's sign-in. A refused token is kept only to compare with. */
export interface StoredSession {
  token: string | null;
  handheld: string | null;
  rejected: string | null;
}

const NOBODY: StoredSession = { token: null, handheld: null, rejected: null };

export type SignIn = { kind: 'done' } | { kind: 'refused' | 'unreachable'; detail: string };

/** @param isForgotten whether what the device knew of another organization was deleted. */
type Prepare = (locations: Location[], isForgotten: boolean) => Promise<void>;

export class Session {
  readonly stored = signal<StoredSession>(NOBODY);
  /** Null if there is no good one. */
  readonly token = computed(() => (this.stored.value.rejected === null ? this.stored.value.token : null));
  /** Whether somebody works with the device: also after the token was refused, until they sign out. */
  readonly isOpen = computed(() => this.stored.value.token !== null);
  readonly #database: Database;
  readonly #gateway: GatewayClient;
  readonly #otherTabs: OtherTabs;

  constructor(database: Database, gateway: GatewayClient, otherTabs: OtherTabs) {
    this.#database = database;
    this.#gateway = gateway;
    this.#otherTabs = otherTabs;
  }

  async load(): Promise<void> {
    this.stored.value =
      ((await this.#database.get('kept', 'session')) as StoredSession | undefined) ?? NOBODY;
  }

  /** Whether the scans on the device belong to another handheld's token. */
  isAnother(token: string): boolean {
    const { handheld } = this.stored.value;
    return handheld !== null && handheld !== handheldOf(token);
  }

  /**
   * Tests the token by asking for the locations, and stores it if it is good.
   *
   * @param prepare what is done before: from then on scans are taken.
   */
  async signIn(token: string, prepare: Prepare): Promise<SignIn> {
    const answer = await this.#gateway.locations(token);
    switch (answer.kind) {
      case 'ok': {
        const isForeign = this.isAnother(token) && !(await this.#isOfOrganization(answer.data));
        if (isForeign) {
          await this.#forgetOrganization();
        }
        await prepare(answer.data, isForeign);
        await this.#keep({ token, handheld: handheldOf(token), rejected: null });
        return { kind: 'done' };
      }
      case 'unreachable':
        return { kind: 'unreachable', detail: answer.detail };
      default:
        return { kind: 'refused', detail: answer.detail };
    }
  }

  /** Remembers the handheld, so that queued scans are not sent under another name without asking. */
  async signOut(): Promise<void> {
    await this.#keep({ ...this.stored.value, token: null, rejected: null });
    this.#otherTabs.tell();
  }

  async reject(token: string, detail: string): Promise<void> {
    if (this.stored.value.token === token) {
      await this.#keep({ ...this.stored.value, rejected: detail });
      this.#otherTabs.tell();
    }
  }

  async #keep(session: StoredSession): Promise<void> {
    await this.#database.put('kept', session, 'session');
    this.stored.value = session;
  }

  /**
   * Whether the device knows one of the locations already. After a revocation the user goes on
   * with a new handheld's token, in the same place and sweep.
   */
  async #isOfOrganization(locations: readonly Location[]): Promise<boolean> {
    const kept = (await this.#database.get('kept', 'tree')) as KeptTree | undefined;
    const keys = new Map(kept?.locations.map(({ id, external_key }) => [id, external_key]));
    return locations.some(({ id, external_key }) => keys.get(id) === external_key);
  }

  /** Deletes what the device knows of another organization's assets and places. */
  async #forgetOrganization(): Promise<void> {
    const transaction = this.#database.transaction(['lists', 'known', 'kept'], 'readwrite');
    await transaction.objectStore('lists').clear();
    await transaction.objectStore('known').clear();
    for (const name of ['tree', 'walk', 'sweep', 'broken', 'assets', 'looked at', 'recent places']) {
      await transaction.objectStore('kept').delete(name);
    }
    await transaction.done;
  }
}
