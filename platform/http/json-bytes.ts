/** A body, or a part of it, that is JSON already: what is large is written in a thread, and handed on as it is. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** An object that has it as its first member, in front of those of another. */
  asMember(name: string, others: object = {}): JsonBytes {
    const rest = JSON.stringify(others).slice(1);
    const begin = Buffer.from(`{${JSON.stringify(name)}:`);
    return new JsonBytes(Buffer.concat([begin, this.bytes, Buffer.from(rest === '}' ? rest : `,${rest}`)]));
  }
}

/** An object with a member that may be JSON already, in front of those of another. */
export function withMember(name: string, value: object, others: object = {}): object {
  return value instanceof JsonBytes ? value.asMember(name, others) : { [name]: value, ...others };
}
