/**
 * Watches a client's bytes for the size of the next packet. The broker's parser buffers a packet until it is
 * complete, so without a limit a client could announce 256 MiB and fill the memory. The broker handles all filters of a packet
 * in one go, so packets other than CONNECT and PUBLISH have a lower limit, and a packet with many filters counts as several.
 *
 * MQTT 3.1.1 section 2.2: a packet starts with one byte of type and flags and its remaining length, in one to
 * four bytes of seven bits each, the lowest first.
 */
export class PacketGuard {
  readonly #most: number;
  /** Bytes missing from the current packet, once its length is known. */
  #toCome = 0;
  #length = 0;
  #state: 'type' | 'length' | 'body' = 'type';
  #lengthBytes = 0;
  #type = 0;
  #packets = 0;

  /** @param most largest remaining length of a CONNECT or PUBLISH, in bytes; of other packets it is {@link MOST_OTHER} at most. */
  constructor(most: number) {
    this.#most = most;
  }

  get packets(): number {
    return this.#packets;
  }

  /** Bytes of the packet that has begun. */
  get limit(): number {
    return this.#type === CONNECT || this.#type === PUBLISH ? this.#most : Math.min(this.#most, MOST_OTHER);
  }

  get gathering(): number {
    return this.#state === 'body' ? this.#length : 0;
  }

  /** Takes the next bytes. @returns the announced length of a packet that is too large, or null. */
  feed(bytes: Uint8Array): number | null {
    for (let at = 0; at < bytes.length; ) {
      if (this.#state === 'body') {
        const skipped = Math.min(this.#toCome, bytes.length - at);
        at += skipped;
        this.#toCome -= skipped;
        if (this.#toCome === 0) {
          this.#end();
        }
      } else if (this.#state === 'type') {
        this.#type = (bytes[at++] ?? 0) >> 4;
        this.#state = 'length';
        this.#lengthBytes = 0;
        this.#toCome = 0;
      } else {
        const byte = bytes[at++] ?? 0;
        this.#toCome += (byte & 0x7f) * 128 ** this.#lengthBytes;
        this.#lengthBytes += 1;
        if (this.#toCome > this.limit) {
          return this.#toCome;
        }
        if (byte < 0x80 || this.#lengthBytes === 4) {
          this.#length = this.#toCome;
          this.#state = 'body';
          if (this.#toCome === 0) {
            this.#end();
          }
        }
      }
    }
    return null;
  }

  #end(): void {
    this.#state = 'type';
    this.#packets +=
      this.#type === SUBSCRIBE || this.#type === UNSUBSCRIBE ? Math.ceil((this.#length + 1) / OF_ONE) : 1;
  }
}

// MQTT 3.1.1 section 2.2.1.
const CONNECT = 1;
const PUBLISH = 3;
const SUBSCRIBE = 8;
const UNSUBSCRIBE = 10;

const MOST_OTHER = 64 * 1024;

/** Bytes of filters that cost about what a packet costs. */
const OF_ONE = 64;
