/**
 * Watches a client's bytes for the size of the next packet. The broker's parser buffers a packet until it is
 * complete, so without a limit a client could announce 256 MiB and fill the memory.
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
  #packets = 0;

  /** @param most largest remaining length allowed, in bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  get packets(): number {
    return this.#packets;
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
        at += 1;
        this.#state = 'length';
        this.#lengthBytes = 0;
        this.#toCome = 0;
      } else {
        const byte = bytes[at++] ?? 0;
        this.#toCome += (byte & 0x7f) * 128 ** this.#lengthBytes;
        this.#lengthBytes += 1;
        if (this.#toCome > this.#most) {
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
    this.#packets += 1;
  }
}
