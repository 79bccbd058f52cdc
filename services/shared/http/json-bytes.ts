/** A body, or a part of it, that is JSON already: what is large is written in a thread, and handed on as it is. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** An object that has it as its one member. */
  asMember(name: string): JsonBytes {
    return new JsonBytes(Buffer.concat([Buffer.from(`{${JSON.stringify(name)}:`), this.bytes, END]));
  }
}

const END = Buffer.from('}');
