import type { Micros } from '../../base/instant.ts';
import { type LocatedScan, scanName } from './located-scan.ts';

/**
 * Numbers scans from 0, copies of the same scan alike. A reader makes few at the same instant, so a scan's name, which was
 * the most expensive string of recording, is made for those only.
 */
export class ScanNumbers {
  readonly #firsts: LocatedScan[] = [];
  /** By reader. */
  readonly #atInstants = new Map<number, Map<Micros, SameInstant>>();

  /** The number of a scan; one that is new gets the next. */
  numberOf(scan: LocatedScan): number {
    const { source } = scan.scan;
    // What a person scanned is known by its submission, whatever the time.
    const instant = source.kind === 'reader' ? scan.observedAt : 0;
    const atInstants = this.#ofReader(source.kind === 'reader' ? source.readerId : NO_READER);
    const there = atInstants.get(instant);
    if (there === undefined) {
      atInstants.set(instant, this.#firsts.length);
      return this.#add(scan);
    }
    const byName = typeof there === 'number' ? this.#named(there) : there;
    atInstants.set(instant, byName);
    const name = scanName(scan);
    const known = byName.get(name);
    if (known !== undefined) {
      return known;
    }
    byName.set(name, this.#firsts.length);
    return this.#add(scan);
  }

  #ofReader(reader: number): Map<Micros, SameInstant> {
    let atInstants = this.#atInstants.get(reader);
    if (atInstants === undefined) {
      atInstants = new Map();
      this.#atInstants.set(reader, atInstants);
    }
    return atInstants;
  }

  #named(number: number): Map<string, number> {
    return new Map([[scanName(this.#firsts[number] as LocatedScan), number]]);
  }

  #add(scan: LocatedScan): number {
    return this.#firsts.push(scan) - 1;
  }
}

/** The number of the only scan, or the numbers of several by their names. */
type SameInstant = number | Map<string, number>;

const NO_READER = 0;
