import type { Database } from '../storage/database.ts';
import type { NewScan, StoredScan } from '../storage/scan.ts';
import { addScans, type Walk } from './store.ts';

/**
 * Stores scans in order. Those that arrive during a write are written together: an RFID sled reads faster than a disk
 * confirms.
 */
export class Recorder {
  readonly #database: Database;
  readonly #onStored: (scans: readonly StoredScan[]) => void;
  readonly #onFailure: (error: unknown, scans: readonly NewScan[]) => void;
  #waiting: NewScan[] = [];
  #walk: Walk | undefined;
  #isWriting = false;

  constructor(
    database: Database,
    onStored: (scans: readonly StoredScan[]) => void,
    onFailure: (error: unknown, scans: readonly NewScan[]) => void,
  ) {
    this.#database = database;
    this.#onStored = onStored;
    this.#onFailure = onFailure;
  }

  /** @param walk continues after the scan. */
  record(scan: NewScan, walk: Walk): void {
    this.#waiting.push(scan);
    this.#walk = walk;
    void this.#write();
  }

  async #write(): Promise<void> {
    if (this.#isWriting) {
      return;
    }
    this.#isWriting = true;
    while (this.#waiting.length > 0 && this.#walk !== undefined) {
      const scans = this.#waiting;
      this.#waiting = [];
      try {
        this.#onStored(await addScans(this.#database, scans, this.#walk));
      } catch (error) {
        this.#onFailure(error, scans);
      }
    }
    this.#isWriting = false;
  }
}
