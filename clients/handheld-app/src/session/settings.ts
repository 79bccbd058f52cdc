import { signal } from '@preact/signals';
import type { TagType } from '../../../../domain/tracking/tag-type.ts';
import type { Database } from '../storage/database.ts';

export interface Settings {
  theme: 'auto' | 'light' | 'dark';
  sound: boolean;
  /** The kind of tag that scanned values are taken for; `auto` guesses. */
  tagType: 'auto' | TagType;
  /** Allowed pauses within a scan; `auto` learns them. */
  pauses: 'auto' | 'short' | 'long';
}

const DEFAULTS: Settings = { theme: 'auto', sound: true, tagType: 'auto', pauses: 'auto' };

export class KeptSettings {
  readonly now = signal<Settings>(DEFAULTS);
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<void> {
    const kept = (await this.#database.get('kept', 'settings')) as Partial<Settings> | undefined;
    this.now.value = { ...DEFAULTS, ...kept };
  }

  async change(changes: Partial<Settings>): Promise<void> {
    this.now.value = { ...this.now.value, ...changes };
    await this.#database.put('kept', this.now.value, 'settings');
  }
}
