/** Serialized JSON, a body or part of one, written by a worker thread and sent as it is. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** An object with it as the first member. */
  asMember(name: string, others: object = {}): JsonBytes {
    const rest = JSON.stringify(others).slice(1);
    const begin = Buffer.from(`{${JSON.stringify(name)}:`);
    return new JsonBytes(Buffer.concat([begin, this.bytes, Buffer.from(rest === '}' ? rest : `,${rest}`)]));
  }
}

/** An object with a member that may be serialized already, in front of `others`. */
export function withMember(name: string, value: object, others: object = {}): object {
  return value instanceof JsonBytes ? value.asMember(name, others) : { [name]: value, ...others };
}
