import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { PairMap } from './pair-map.ts';
import { READING_KINDS, type TagReading } from './reading-kind.ts';

/**
 * The newest values of tags as this process wrote them. An unchanged value is written once in a minute: writing all
 * took a third of the database's time for three values a read. If another process wrote another value meanwhile, that one
 * stays. So a stored value is at most a minute older than the tag's last. Where rules ask, all are written.
 *
 * Also until when a tag's readings may be stored already, so that only those are looked for.
 */
export class RecentReadings {
  #recent = new KnownValues();
  #before = new KnownValues();

  /** Of a transaction, anew each time that it is tried. */
  begin(): ReadingsOfTransaction {
    let noted: readonly TagReading[] = [];
    return {
      choose: (found, always) => {
        noted = found;
        const changed = new PairMap<number, number, true>();
        for (const reading of found) {
          const { orgId, tagId } = reading;
          if ((always.has(orgId) || !this.#isKnown(reading)) && !changed.has(orgId, tagId)) {
            changed.add(orgId, tagId, true);
          }
        }
        return changed.values().length === 0
          ? []
          : found.filter(({ orgId, tagId }) => changed.has(orgId, tagId));
      },
      mayBeStored: (reading) => {
        const place = this.#placeOf(reading);
        return place !== undefined && reading.observedAt <= (this.#recent.numbers[place + STORED_UNTIL] ?? 0);
      },
      noteStored: (stored) => {
        for (const reading of stored) {
          this.#noteStoredUntil(reading, reading.observedAt + HOUR);
        }
      },
      commit: () => {
        for (const reading of noted) {
          const place = this.#noteStoredUntil(reading, reading.observedAt);
          note(reading, this.#recent.numbers, place);
        }
      },
    };
  }

  /** @returns where its numbers are. */
  #noteStoredUntil(reading: TagReading, until: Micros): number {
    // Remembering may replace the numbers.
    const place = this.#placeOf(reading) ?? this.#remember(reading);
    const { numbers } = this.#recent;
    numbers[place + STORED_UNTIL] = Math.max(numbers[place + STORED_UNTIL] || 0, until);
    return place;
  }

  #isKnown(reading: TagReading): boolean {
    const place = this.#placeOf(reading);
    return place !== undefined && isKnown(reading, this.#recent.numbers, place);
  }

  #placeOf(reading: TagReading): number | undefined {
    const { orgId, tagId } = reading;
    const place = this.#recent.places.get(orgId, tagId);
    const before = place === undefined ? this.#before.places.get(orgId, tagId) : undefined;
    if (before === undefined) {
      return place;
    }
    const known = this.#before.numbers.subarray(before, before + NUMBERS);
    const remembered = this.#remember(reading);
    this.#recent.numbers.set(known, remembered);
    return remembered;
  }

  #remember({ orgId, tagId }: TagReading): number {
    if (this.#recent.places.values().length >= MOST_TAGS) {
      this.#before = this.#recent;
      this.#recent = new KnownValues();
    }
    return this.#recent.add(orgId, tagId);
  }
}

/** Numbers side by side: objects for each tag and kind took the processor four times as long to look through. */
class KnownValues {
  readonly places = new PairMap<number, number, number>();
  /** For each tag and kind of reading: its value, when that was written, and when it was last reported. */
  numbers = new Float64Array(FEW_TAGS * NUMBERS);

  add(orgId: number, tagId: number): number {
    const place = this.places.values().length * NUMBERS;
    if (place === this.numbers.length) {
      const longer = new Float64Array(2 * place);
      longer.set(this.numbers);
      this.numbers = longer;
    }
    this.numbers.fill(Number.NaN, place, place + NUMBERS);
    this.places.add(orgId, tagId, place);
    return place;
  }
}

function isKnown({ observedAt, readings }: TagReading, numbers: Float64Array, place: number): boolean {
  let at = place;
  for (const kind of READING_KINDS) {
    const value = readings[kind];
    if (value !== undefined && !isNothingNew(value, observedAt, numbers, at)) {
      return false;
    }
    at += NUMBERS_OF_KIND;
  }
  return true;
}

function note({ observedAt, readings }: TagReading, numbers: Float64Array, place: number): void {
  let at = place;
  for (const kind of READING_KINDS) {
    const value = readings[kind];
    if (value !== undefined && isNothingNew(value, observedAt, numbers, at)) {
      numbers[at + 2] = Math.max(numbers[at + 2] ?? 0, observedAt);
    } else if (value !== undefined) {
      numbers[at] = value;
      numbers[at + 1] = observedAt;
      numbers[at + 2] = observedAt;
    }
    at += NUMBERS_OF_KIND;
  }
}

export interface ReadingsOfTransaction {
  /** All of the tags that say something new, and of the organizations `always`. */
  choose(found: readonly TagReading[], always: ReadonlySet<number>): readonly TagReading[];
  /** Whether it is not newer than all that this process wrote of its tag. Another process may have written more. */
  mayBeStored(reading: TagReading): boolean;
  /** Another process writes readings of these tags, too: for an hour they may all be stored already. */
  noteStored(stored: readonly TagReading[]): void;
  /** Call it after the commit. */
  commit(): void;
}

/**
 * The same value as a moment ago, or older by a moment. A reading older by more is written, and the table ignores it unless
 * a wrong clock has been mended there since. At one instant the greatest value counts.
 */
function isNothingNew(value: number, at: Micros, numbers: Float64Array, place: number): boolean {
  const [written, writtenAt, saidAt] = [numbers[place], numbers[place + 1] ?? 0, numbers[place + 2] ?? 0];
  return Math.abs(at - writtenAt) < MINUTE && (at < saidAt || value === written);
}

const NUMBERS_OF_KIND = 3;
const STORED_UNTIL = NUMBERS_OF_KIND * READING_KINDS.length;
/** Of a tag. */
const NUMBERS = STORED_UNTIL + 1;

const MINUTE = 60 * MICROS_PER_SECOND;
const HOUR = 60 * MINUTE;

const FEW_TAGS = 256;
/** Some 200 bytes each, and twice as many are remembered. */
const MOST_TAGS = 20_000;
