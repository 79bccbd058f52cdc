const BEFORE = Buffer.from('"observed_at":"');

/** Writes the present time into messages of one reader, a microsecond later for each read. */
export class Stamp {
  #last = 0;
  #second = 0;
  #text = '';

  /** @param packet with times of the same length, in microseconds. */
  mark(packet: Buffer): void {
    let micros = Math.max(this.#last, Date.now() * 1_000);
    for (let at = packet.indexOf(BEFORE); at >= 0; at = packet.indexOf(BEFORE, at)) {
      micros += 1;
      at += BEFORE.length;
      packet.write(this.#textOf(micros), at, 'latin1');
    }
    this.#last = micros;
  }

  #textOf(micros: number): string {
    const second = Math.floor(micros / 1e6);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1_000).toISOString().slice(0, -'000Z'.length);
    }
    return `${this.#text}${String(micros % 1e6).padStart(6, '0')}Z`;
  }
}
