import { ulid } from 'ulid';
import { takeBack } from '../queue/undo.ts';
import type { Database } from '../storage/database.ts';
import type { Announcer } from './announcer.ts';

interface Parts {
  database: Database;
  announcer: Announcer;
  show(): Promise<void>;
  send(): void;
}

/** Takes scans back at the user's wish. */
export class Undoing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param scans by number. */
  async takeBack(scans: readonly number[]): Promise<void> {
    const { database, announcer, show, send } = this.#parts;
    await takeBack(database, scans, ulid);
    announcer.cue('same');
    await show();
    send();
  }
}
