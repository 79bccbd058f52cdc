/** Reads what a client sends to PostgreSQL, and tells of every prepared statement that is run, by its name. */
export class BoundStatements {
  readonly #onBound: (name: string) => void;
  #rest = Buffer.alloc(0);
  #isStarted = false;

  constructor(onBound: (name: string) => void) {
    this.#onBound = onBound;
  }

  read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      // The first message has no type.
      const start = this.#isStarted ? 1 : 0;
      if (this.#rest.length < start + 4) {
        return;
      }
      const end = start + this.#rest.readUInt32BE(start);
      if (this.#rest.length < end) {
        return;
      }
      this.#message(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(end);
      this.#isStarted = true;
    }
  }

  #message(message: Buffer): void {
    if (this.#isStarted && message.toString('latin1', 0, 1) === 'B') {
      const [, name = ''] = message.toString('latin1', 5).split('\0', 2);
      this.#onBound(name);
    }
  }
}
