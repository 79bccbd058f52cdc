import type { Micros } from '../../base/instant.ts';
import { type LocatedScan, scanKey } from './located-scan.ts';

/**
 * Numbers scans from 0, copies of a scan alike. A reader makes few scans at one instant, so the key of a scan, the most
 * expensive string of recording, is built for those only.
 */
export class ScanNumbers {
  readonly #firsts: LocatedScan[] = [];
  /** By reader. */
  readonly #atInstants = new Map<number, Map<Micros, SameInstant>>();

  numberOf(scan: LocatedScan): number {
    const { source } = scan.scan;
    // A handheld's scan is identified by submission and index, whatever the time.
    const instant = source.kind === 'reader' ? scan.observedAt : 0;
    const atInstants = this.#ofReader(source.kind === 'reader' ? source.readerId : NO_READER);
    const there = atInstants.get(instant);
    if (there === undefined) {
      atInstants.set(instant, this.#firsts.length);
      return this.#add(scan);
    }
    const byKey = typeof there === 'number' ? this.#keyed(there) : there;
    atInstants.set(instant, byKey);
    const key = scanKey(scan);
    const known = byKey.get(key);
    if (known !== undefined) {
      return known;
    }
    byKey.set(key, this.#firsts.length);
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

  #keyed(number: number): Map<string, number> {
    return new Map([[scanKey(this.#firsts[number] as LocatedScan), number]]);
  }

  #add(scan: LocatedScan): number {
    return this.#firsts.push(scan) - 1;
  }
}

/** The number of the only scan, or the numbers of several by their keys. */
type SameInstant = number | Map<string, number>;

const NO_READER = 0;
