import { computed, signal } from '@preact/signals';
import type { GatewayClient } from '../gateway/client.ts';
import type { Location } from '../gateway/place.ts';
import type { KeptTree } from '../places/places.ts';
import type { Database } from '../storage/database.ts';
import type { OtherTabs } from '../storage/other-tabs.ts';
import { handheldOf } from './token.ts';

/** Who the device is signed in as. A token that the gateway no longer takes is kept only to be compared with. */
export interface StoredSession {
  token: string | null;
  /** The handheld whose scans are on the device. */
  handheld: string | null;
  /** Why the gateway refused the token. */
  rejected: string | null;
}

const NOBODY: StoredSession = { token: null, handheld: null, rejected: null };

export type SignIn =
  | { kind: 'done'; locations: Location[] }
  | { kind: 'refused' | 'unreachable'; detail: string };

export class Session {
  readonly stored = signal<StoredSession>(NOBODY);
  /** The token to send with; null while there is none that is good. */
  readonly token = computed(() => (this.stored.value.rejected === null ? this.stored.value.token : null));
  /** Whether somebody works with the device: they go on when the gateway refuses the token, until they sign out. */
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

  /** Whether the scans on the device were made under the token of another handheld. */
  isAnother(token: string): boolean {
    const { handheld } = this.stored.value;
    return handheld !== null && handheld !== handheldOf(token);
  }

  /** Tries the token by asking for the locations, and keeps it if it is good. */
  async signIn(token: string): Promise<SignIn> {
    const answer = await this.#gateway.locations(token);
    switch (answer.kind) {
      case 'ok':
        if (this.isAnother(token) && !(await this.#isOfOrganization(answer.data))) {
          await this.#forgetOrganization();
        }
        await this.#keep({ token, handheld: handheldOf(token), rejected: null });
        return { kind: 'done', locations: answer.data };
      case 'unreachable':
        return { kind: 'unreachable', detail: answer.detail };
      default:
        return { kind: 'refused', detail: answer.detail };
    }
  }

  /** The handheld is remembered, so that what is still queued is not sent for somebody else unasked. */
  async signOut(): Promise<void> {
    await this.#keep({ ...this.stored.value, token: null, rejected: null });
    this.#otherTabs.tell();
  }

  /** The gateway refused `token`: nothing is sent until there is another. */
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
   * Whether the device knows one of the locations already. A token cannot be renewed: who had one that was revoked
   * goes on with a new handheld's, where they are and with the sweep that they are at.
   */
  async #isOfOrganization(locations: readonly Location[]): Promise<boolean> {
    const kept = (await this.#database.get('kept', 'tree')) as KeptTree | undefined;
    const keys = new Map(kept?.locations.map(({ id, external_key }) => [id, external_key]));
    return locations.some(({ id, external_key }) => keys.get(id) === external_key);
  }

  /** What the device knows of assets and places is another organization's. */
  async #forgetOrganization(): Promise<void> {
    const transaction = this.#database.transaction(['lists', 'known', 'kept'], 'readwrite');
    await transaction.objectStore('lists').clear();
    await transaction.objectStore('known').clear();
    for (const name of ['tree', 'walk', 'sweep', 'broken']) {
      await transaction.objectStore('kept').delete(name);
    }
    await transaction.done;
  }
}
