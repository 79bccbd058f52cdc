import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Mapped } from '../../../domain/formats/mapping/run.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';

/** A fault that a reader reports itself, such as dropped reads. */
export interface ReaderWarning {
  orgId: number;
  readerId: number;
  reader: string;
  /** In the format's words: `item /overflowEvent exists`. */
  warning: string;
  /** Occurrences since the last report, this one included. */
  times: number;
}

const QUIET = 60 * MICROS_PER_SECOND;

/** Reports items that their format wants logged, at most once a minute per reader. */
export class ReaderWarnings {
  readonly #onWarning: (warning: ReaderWarning) => void;
  /** By reader, at most one entry for each that ever warned. */
  readonly #last = new Map<number, { at: Micros; untold: number }>();

  constructor(onWarning: (warning: ReaderWarning) => void) {
    this.#onWarning = onWarning;
  }

  note(reader: RegisteredReader | null, mapped: Mapped, now: Micros): void {
    if (reader === null || mapped.outcome === 'rejected') {
      return;
    }
    const items = mapped.outcome === 'items' ? mapped.items : [mapped];
    let times = 0;
    let warning = '';
    for (const item of items) {
      if (item.outcome === 'ignored' && item.warning !== undefined) {
        times += 1;
        warning = item.warning;
      }
    }
    if (times > 0) {
      this.#count(reader, warning, times, now);
    }
  }

  #count({ orgId, readerId, name }: RegisteredReader, warning: string, times: number, now: Micros): void {
    const last = this.#last.get(readerId);
    // A clock set back must not silence a reader for longer.
    if (last !== undefined && Math.abs(now - last.at) < QUIET) {
      last.untold += times;
      return;
    }
    this.#last.set(readerId, { at: now, untold: 0 });
    this.#onWarning({ orgId, readerId, reader: name, warning, times: times + (last?.untold ?? 0) });
  }
}
