import type { JsonSchema } from '../../base/checks/fields.ts';
import { withMember } from './json-bytes.ts';
import { listSchema, PAGING } from './lists.ts';
import type { Headers } from './problem.ts';
import type { StreamedList } from './streamed-list.ts';

/** What a route answers when all went well: its handler's result becomes a body and headers here. */
export interface Success<Result> {
  readonly status: number;
  readonly description: string;
  /** Another status that the same answer can have, and when it has. */
  readonly otherwise?: { readonly status: number; readonly description: string };
  /** Of the whole body; null if there is none. */
  readonly schema: JsonSchema | null;
  /** Headers the answer carries, with a description each. */
  readonly headers: Headers;
  /** Where the example of its `data`, or of each item in it, differs from that of the schema. */
  readonly example?: Example;
  present(result: Result, path: string): { status?: number; body?: object; headers?: Headers };
}

type Example = Readonly<Record<string, unknown>>;

/** One thing, as `{ data }`. */
export function found<View>(schema: JsonSchema, description: string, example: Example = {}): Success<View> {
  return {
    status: 200,
    description,
    schema: dataSchema(schema),
    headers: {},
    example,
    present: (view) => ({ body: withMember('data', view as object) }),
  };
}

/** A new thing, as `{ data }`, and where it is: below the path it was posted to. */
export function created<View extends { id: number | string }>(
  schema: JsonSchema,
  description: string,
  example: Example = {},
): Success<View> {
  return {
    status: 201,
    description,
    schema: dataSchema(schema),
    headers: { Location: 'Path of what was created' },
    example,
    present: (view, path) => ({ body: { data: view }, headers: { Location: `${path}/${view.id}` } }),
  };
}

/** Something done once, as `{ data }`: 201 when it was done, 200 with the same answer when it is asked for again. */
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

/** A page of a list, made by `listBody`. */
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
    example,
    present: (list) => ({ body: list }),
  };
}

/** A body that the handler makes whole. */
export function answered<Body extends object>(
  schema: JsonSchema,
  description: string,
  example: Example = {},
): Success<Body> {
  return { status: 200, description, schema, headers: {}, example, present: (body) => ({ body }) };
}

/** Done, with nothing to say. */
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
