import type { JsonSchema } from '../../base/checks/fields.ts';

import { listSchema, PAGING, type StreamedList } from './lists.ts';
import type { AnswerHeaders, Headers } from './problem.ts';

export interface Success<Result> {
  readonly status: number;
  readonly description: string;
  readonly otherwise?: { readonly status: number; readonly description: string };
  readonly schema: JsonSchema | null;
  readonly headers: Headers;
  /** If it answers a GET. */
  readonly hasEtag?: true;
  readonly example?: Example;
  present(result: Result, path: string): { status?: number; body?: object; headers?: AnswerHeaders };
}

type Example = Readonly<Record<string, unknown>>;

/** `{ data }` */
export function found<View>(schema: JsonSchema, description: string, example: Example = {}): Success<View> {
  return {
    status: 200,
    description,
    schema: dataSchema(schema),
    headers: {},
    hasEtag: true,
    example,
    present: (view) => ({ body: withMember('data', view as object) }),
  };
}

/** 201 with `{ data }` and `Location`, below the path of the request. */
export function created<View extends { id: number | string }>(
  schema: JsonSchema,
  description: string,
  example: Example = {},
): Success<View> {
  return {
    status: 201,
    description,
    schema: dataSchema(schema),
    headers: { Location: 'Path of the created row' },
    example,
    present: (view, path) => ({ body: { data: view }, headers: { Location: `${path}/${view.id}` } }),
  };
}

/** `{ data }` of an idempotent operation: 201 the first time, 200 with the same answer afterwards. */
export function doneOnce<View>(
  schema: JsonSchema,
  description: string,
  repeated: string,
): Success<{ view: View; isRepeat: boolean }> {
  return {
    status: 201,
    description,
    otherwise: { status: 200, description: repeated },
    schema: dataSchema(schema),
    headers: {},
    present: ({ view, isRepeat }) => ({ status: isRepeat ? 200 : 201, body: { data: view } }),
  };
}

/** A page built by `listBody`. */
export function listed<List extends { data: readonly unknown[] } | StreamedList>(
  item: JsonSchema,
  description: string,
  example: Example = {},
  paging = PAGING,
): Success<List> {
  return {
    status: 200,
    description,
    schema: listSchema(item, paging),
    headers: {},
    hasEtag: true,
    example,
    present: (list) => ({ body: list }),
  };
}

export function answered<Body extends object>(
  schema: JsonSchema,
  description: string,
  example: Example = {},
): Success<Body> {
  return { status: 200, description, schema, headers: {}, example, present: (body) => ({ body }) };
}

export function noContent(description: string): Success<void> {
  return { status: 204, description, schema: null, headers: {}, present: () => ({}) };
}

function dataSchema(schema: JsonSchema): JsonSchema {
  const { title } = schema;
  return {
    ...(title === undefined ? {} : { title: `${title}Envelope` }),
    type: 'object',
    properties: { data: schema },
    required: ['data'],
  };
}

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
