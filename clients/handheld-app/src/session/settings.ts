import { signal } from '@preact/signals';
import type { TagType } from '../../../../domain/tracking/tag-type.ts';
import type { Theme } from '../../../ui/parts/use-theme.ts';
import type { Database } from '../storage/database.ts';

export interface Settings {
  theme: Theme;
  language: 'auto' | 'en' | 'de';
  sound: boolean;
  /** The kind of tag assumed for scanned values; `auto` guesses. */
  tagType: 'auto' | TagType;
  /** Whether what a sweep finds moves there, or is only checked. */
  sweep: 'move' | 'check';
  /** Allowed pauses within a scan; `auto` learns them. */
  pauses: 'auto' | 'short' | 'long';
}

const DEFAULTS: Settings = {
  theme: 'auto',
  language: 'auto',
  sound: true,
  tagType: 'auto',
  sweep: 'move',
  pauses: 'auto',
};

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
