/** Serialized JSON, a body or part of one, written by a worker thread and sent unchanged. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  asMember(name: string, others: object = {}): JsonBytes {
    const rest = JSON.stringify(others).slice(1);
    const begin = Buffer.from(`{${JSON.stringify(name)}:`);
    return new JsonBytes(Buffer.concat([begin, this.bytes, Buffer.from(rest === '}' ? rest : `,${rest}`)]));
  }
}

export function withMember(name: string, value: object, others: object = {}): object {
  return value instanceof JsonBytes ? value.asMember(name, others) : { [name]: value, ...others };
}
