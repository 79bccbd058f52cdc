import type { Micros } from '../base/instant.ts';
import type { Encoder, TagRead } from './encoders/encoder.ts';
import { BROKEN_PAYLOAD, ENCODERS } from './encoders/encoders.ts';
import type { Message } from './message.ts';
import type { Random } from './random.ts';
import type { SiteReader } from './site.ts';
import { NO_OUTCOMES, type PlacedRead, type ReadOutcome } from './truth/expected.ts';

export interface LineRead {
  /** External key; null for a stranger's tag or an impossible one. */
  asset: string | null;
  tag: string;
  port: number;
  at: Micros;
  rssi: number;
}

/** No format accepts this as a tag. */
export const UNUSABLE_TAG = '-';

/** One reader, from what its antennas see to its finished messages. */
export class ReaderLine {
  readonly reader: SiteReader;
  readonly #encoder: Encoder;
  readonly #clockOffset: Micros;
  readonly #random: Random;
  /** Set while it reads and says nothing. */
  isSilent = false;
  #sequence = 0;
  #waiting: LineRead[] = [];
  /** Last read by asset and antenna, by the reader's clock. */
  readonly #lastReads = new Map<string, Micros>();

  constructor(reader: SiteReader, clockOffset: Micros, random: Random) {
    this.reader = reader;
    this.#encoder = ENCODERS[reader.format];
    this.#clockOffset = clockOffset;
    this.#random = random;
  }

  /** Whether its messages have usable times: then they are the same reads whenever they are received. */
  get hasClock(): boolean {
    return this.#encoder.clockTick !== null && this.#clockOffset <= 0;
  }

  get tagType(): Encoder['tagType'] {
    return this.#encoder.tagType;
  }

  /** In order of time. */
  take(read: LineRead): void {
    if (!this.isSilent) {
      this.#waiting.push(read);
    }
  }

  /** Everything taken since `from`, encoded as its make does. */
  messages(from: Micros): Message[] {
    const messages: Message[] = [];
    while (this.#waiting.length > 0) {
      const most = this.#random.integer(1, this.#encoder.maxReadsPerMessage);
      messages.push(this.#report(this.#waiting.splice(0, most), from));
    }
    return messages;
  }

  heartbeat(at: Micros): Message {
    const publication = this.#encoder.heartbeat(this.reader, at + this.#clockOffset, this.#sequence++);
    return { ...this.#plain('heartbeat', at), publication };
  }

  broken(at: Micros): Message {
    const { topic } = this.#encoder.encode(this.reader, [tagRead('00', at)], 0);
    return { ...this.#plain('broken', at), publication: { topic, payload: BROKEN_PAYLOAD, ignored: 0 } };
  }

  #plain(kind: Message['kind'], readyAt: Micros) {
    return { reader: this.reader, readyAt, kind, placed: [], outcomes: NO_OUTCOMES, isDup: false };
  }

  #report(reads: readonly LineRead[], readyAt: Micros): Message {
    const outcomes = { ...NO_OUTCOMES };
    const placed: PlacedRead[] = [];
    const seen = new Set<string>();
    const written = reads.map((read): TagRead => {
      const at = this.#tell(read.at);
      const located = this.#placeOf(read, at);
      if (located !== null) {
        placed.push(located);
      }
      outcomes[this.#outcomeOf(read, at, located, seen)] += 1;
      return { value: read.tag, port: read.port, rssi: read.rssi, at };
    });
    const publication = this.#encoder.encode(this.reader, written, this.#sequence++);
    return { ...this.#plain('reads', readyAt), publication, placed, outcomes };
  }

  #tell(at: Micros): Micros {
    const told = at + this.#clockOffset;
    return told - (told % (this.#encoder.clockTick ?? 1));
  }

  #placeOf({ asset, tag, port, rssi }: LineRead, at: Micros): PlacedRead | null {
    const location = this.reader.antennas[port - 1] ?? null;
    const { tagType } = this;
    return asset === null || location === null
      ? null
      : { asset, location, at: this.hasClock ? at : null, rssi, port, tagType, tag };
  }

  /** @param seen in the same message: without a usable clock only these are duplicates. */
  #outcomeOf(
    { asset, tag, port }: LineRead,
    at: Micros,
    located: PlacedRead | null,
    seen: Set<string>,
  ): ReadOutcome {
    if (tag === UNUSABLE_TAG) {
      return 'rejected';
    }
    if (asset === null) {
      return 'unknown';
    }
    if (located === null) {
      return 'unplaced';
    }
    const name = `${port} ${asset}`;
    const isKnown = seen.has(name) || (this.hasClock && this.#lastReads.get(name) === at);
    if (!this.hasClock) {
      seen.add(name);
    }
    this.#lastReads.set(name, at);
    return isKnown ? 'duplicates' : 'recorded';
  }
}

function tagRead(value: string, at: Micros): TagRead {
  return { value, port: 1, rssi: -60, at };
}
