import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { PairMap } from './pair-map.ts';
import { READING_KINDS, type ReadingKind, type TagReading } from './reading-kind.ts';

interface Known {
  value: number;
  writtenAt: Micros;
  saidAt: Micros;
}

type KnownOfTag = Partial<Record<ReadingKind, Known>>;

/**
 * The newest values of tags as this process wrote them. An unchanged value is written once in ten seconds: writing all
 * took a third of the database's time for three values a read. If another process wrote another value meanwhile, that one
 * stays. So a stored value is at most ten seconds older than the tag's last. Where rules ask, all are written.
 */
export class RecentReadings {
  #recent = new PairMap<number, number, KnownOfTag>();
  #before = new PairMap<number, number, KnownOfTag>();

  /** Of a transaction, anew each time that it is tried. */
  begin(): ReadingsOfTransaction {
    let noted: readonly (readonly [TagReading, KnownOfTag | undefined])[] = [];
    return {
      choose: (found, always) => {
        noted = found.map((reading) => [reading, this.#of(reading)]);
        const changed = new PairMap<number, number, true>();
        for (const [reading, known] of noted) {
          const { orgId, tagId } = reading;
          if ((always.has(orgId) || !isKnown(reading, known)) && !changed.has(orgId, tagId)) {
            changed.add(orgId, tagId, true);
          }
        }
        return found.filter(({ orgId, tagId }) => changed.has(orgId, tagId));
      },
      commit: () => {
        for (const [reading, known] of noted) {
          note(reading, known ?? this.#of(reading) ?? this.#remember(reading, {}));
        }
      },
    };
  }

  #of(reading: TagReading): KnownOfTag | undefined {
    const recent = this.#recent.get(reading.orgId, reading.tagId);
    if (recent !== undefined) {
      return recent;
    }
    const before = this.#before.get(reading.orgId, reading.tagId);
    return before === undefined ? undefined : this.#remember(reading, before);
  }

  #remember({ orgId, tagId }: TagReading, known: KnownOfTag): KnownOfTag {
    if (this.#recent.values().length >= MOST_TAGS) {
      this.#before = this.#recent;
      this.#recent = new PairMap();
    }
    this.#recent.add(orgId, tagId, known);
    return known;
  }
}

function isKnown({ observedAt, readings }: TagReading, known: KnownOfTag | undefined): boolean {
  if (known === undefined) {
    return false;
  }
  for (const kind of READING_KINDS) {
    const value = readings[kind];
    if (value !== undefined && !isNothingNew(value, observedAt, known[kind])) {
      return false;
    }
  }
  return true;
}

function note({ observedAt, readings }: TagReading, known: KnownOfTag): void {
  for (const kind of READING_KINDS) {
    const value = readings[kind];
    const last = known[kind];
    if (value !== undefined && last !== undefined && isNothingNew(value, observedAt, last)) {
      last.saidAt = Math.max(last.saidAt, observedAt);
    } else if (value !== undefined) {
      known[kind] = { value, writtenAt: observedAt, saidAt: observedAt };
    }
  }
}

export interface ReadingsOfTransaction {
  /** All of the tags that say something new, and of the organizations `always`. */
  choose(found: readonly TagReading[], always: ReadonlySet<number>): readonly TagReading[];
  /** Call it after the commit. */
  commit(): void;
}

/**
 * The same value as a moment ago, or older by a moment. A reading older by more is written, and the table ignores it unless
 * a wrong clock has been mended there since. At one instant the greatest value counts.
 */
function isNothingNew(value: number, at: Micros, known: Known | undefined): boolean {
  return (
    known !== undefined &&
    Math.abs(at - known.writtenAt) < 10 * MICROS_PER_SECOND &&
    (at < known.saidAt || value === known.value)
  );
}

/** Some 300 bytes each, and twice as many are remembered. */
const MOST_TAGS = 20_000;
