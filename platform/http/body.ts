import type { IncomingHttpHeaders } from 'node:http';
import type { JsonSchema } from '../../base/checks/fields.ts';
import {
  ambiguous,
  type Checked,
  type FieldIssue,
  gathered,
  invalid,
  type Pair,
} from '../../base/checks/issues.ts';
import {
  checkedAgainst,
  isGiven,
  type Members,
  membersSchema,
  mismatchOf,
  type ReadAlone,
  readAlone,
  readMembers,
  type SchemaNotes,
  type Values,
} from '../../base/checks/members.ts';
import type { MergePatch } from '../../base/checks/merge-patch.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSource,
  parseJson,
} from '../../base/json/exact-json.ts';
import { badRequest, Problem, type ProblemType, toProblem } from './problem.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';
export const CSV_TYPE = 'text/csv';
export const MULTIPART_TYPE = 'multipart/form-data';
/** Any image; its content decides whether its kind is accepted. */
export const IMAGE_TYPE = 'image/*';
/** Any content that a device sends, compressed or not. */
export const ANY_TYPE = '*/*';

type BodyType =
  | typeof ANY_TYPE
  | typeof CSV_TYPE
  | typeof IMAGE_TYPE
  | typeof JSON_TYPE
  | typeof MERGE_PATCH_TYPE
  | typeof MULTIPART_TYPE;

/**
 * Refuses a body whose media type the operation does not take (contract 4.1). Media types are parsed: case, blanks and
 * quotes do not matter, a charset other than UTF-8 does.
 *
 * @throws Problem `unsupported_media_type`.
 */
export function requireMediaType(headers: IncomingHttpHeaders, expected: BodyType): void {
  if (expected === ANY_TYPE) {
    return;
  }
  if (!isUtf8(headers['content-type'] ?? '', expected)) {
    throw new Problem('unsupported_media_type', DETAIL[expected]);
  }
  if (contentEncoding(headers) !== 'identity') {
    throw new Problem('unsupported_media_type', 'Content-Encoding is not supported; send the body as it is');
  }
}

export function contentEncoding(headers: IncomingHttpHeaders): string {
  return headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
}

const DETAIL: Record<Exclude<BodyType, typeof ANY_TYPE>, string> = {
  [JSON_TYPE]: `Content-Type must be ${JSON_TYPE}`,
  [MERGE_PATCH_TYPE]: `Content-Type must be ${MERGE_PATCH_TYPE} on PATCH operations`,
  [CSV_TYPE]: `Content-Type must be ${CSV_TYPE}`,
  [MULTIPART_TYPE]: `Content-Type must be ${MULTIPART_TYPE}`,
  [IMAGE_TYPE]: 'Content-Type must be that of an image, such as image/png',
};

function isUtf8(header: string, expected: BodyType): boolean {
  const [type = '', ...parameters] = header.split(';');
  const given = type.trim().toLowerCase();
  if (expected === IMAGE_TYPE) {
    return given.startsWith('image/');
  }
  if (given !== expected) {
    return false;
  }
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2);
    return name.trim().toLowerCase() !== 'charset' || UTF_8.test(value.trim());
  });
}

const UTF_8 = /^(?:utf-8|"utf-8")$/i;

function oneOfEach(pairs: readonly Pair[]): JsonSchema {
  return never(
    pairs.map((pair) => ({ required: pair, properties: Object.fromEntries(pair.map((key) => [key, {}])) })),
  );
}

/** Refuses null on one key of a pair with a value on the other. */
function agreeing(pairs: readonly Pair[]): JsonSchema {
  return never(
    pairs.flatMap(([one, other]) => [
      contradiction({ empty: one, filled: other }),
      contradiction({ empty: other, filled: one }),
    ]),
  );
}

function contradiction({ empty, filled }: { empty: string; filled: string }): JsonSchema {
  return {
    required: [empty, filled],
    properties: { [empty]: { type: 'null' }, [filled]: { not: { type: 'null' } } },
  };
}

function never(schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.length === 0 ? {} : { not: schemas.length === 1 ? schemas[0] : { anyOf: schemas } };
}

export interface Body<T> {
  readonly type: BodyType;
  readonly schema: JsonSchema;
  /**
   * Checks everything the bytes alone show. The result is plain data, to pass between threads, and small if
   * the body is refused.
   *
   * @throws Problem `bad_request` or AppError `invalid_input` if it cannot be decoded, Invalid if its values
   * are wrong.
   */
  check(bytes: Uint8Array): unknown;
  taken(checked: unknown): T;
}

export interface StreamedBody<T> {
  readonly type: BodyType;
  readonly schema: JsonSchema;
  /** Bytes. */
  readonly limit: number;
  /** Bytes to receive of a body that announces more than the limit, before it is refused; none by default. */
  readonly kept?: number;
  /**
   * @param unfold waits for room for so many bytes, before a small compressed body is unpacked to more than it.
   * @throws Problem as {@link Body.check} does.
   */
  receive(
    chunks: AsyncIterable<Buffer>,
    headers: IncomingHttpHeaders,
    unfold: (bytes: number) => Promise<void>,
  ): Promise<T>;
}

const CREATE_ADVICE = 'omit the field to use the server default, or provide a value';

interface BodyRules extends SchemaNotes {
  exclusive?: readonly Pair[];
}

export function jsonBody<M extends Members<unknown>>(members: M, rules: BodyRules = {}): Body<Values<M>> {
  return {
    type: JSON_TYPE,
    schema: { ...membersSchema(members, rules), ...oneOfEach(rules.exclusive ?? []) },
    check: (bytes) => {
      const { json, source } = parseBody(bytes);
      const object = decodeObject(json, source, members);
      const pairs = (rules.exclusive ?? []).filter((pair) => pair.every((key) => Object.hasOwn(object, key)));
      const read = readMembers(members, object, { nullAdvice: CREATE_ADVICE, prefix: '', source });
      return accept(inOrder(read, pairs, members));
    },
    taken: (checked) => checked as Values<M>,
  };
}

/** Adds a check across values. `check` returns plain data. */
export function checkedBody<T, Result>(body: Body<T>, check: (value: T) => Checked<Result>): Body<Result> {
  return {
    ...body,
    check: (bytes) => accept(check(body.taken(body.check(bytes)))),
    taken: (checked) => checked as Result,
  };
}

interface PatchRules extends SchemaNotes {
  /** Pairs of keys that must agree, null against a value included. */
  alike?: readonly Pair[];
}

/** Builds the body of a PATCH; read-only members are accepted with their current values. */
export function mergePatchOf<Current>() {
  const nullAdvice = 'omit the field to leave unchanged, or provide a value';
  return <M extends Members<Current>>(
    members: M,
    rules: PatchRules = {},
  ): Body<MergePatch<Current, Values<M>>> => ({
    type: MERGE_PATCH_TYPE,
    schema: { ...membersSchema(members, rules), ...agreeing(rules.alike ?? []) },
    check: (bytes): CheckedPatch => {
      const { json, source } = parseBody(bytes);
      if (json === null) {
        throw badRequest('Request body must be a JSON object (RFC 7396)');
      }
      const object = decodeObject(json, source, members);
      return {
        alone: readAlone(members, object, { nullAdvice, prefix: '', source }),
        pairs: (rules.alike ?? []).filter((pair) => contradict(object, pair)),
      };
    },
    taken: (checked) => {
      const { alone, pairs } = checked as CheckedPatch;
      return {
        touches: (...names) => names.some((name) => isGiven(alone, name)),
        against: (current) => accept(inOrder(checkedAgainst(members, alone, '', current), pairs, members)),
      };
    },
  });
}

interface CheckedPatch {
  alone: ReadAlone;
  pairs: readonly Pair[];
}

/** @throws AppError `invalid_input`, which callers see as `bad_request`. */
export function parseBody(bytes: Uint8Array): { json: Json; source: JsonSource } {
  return parseJson(bytes, 'Request body');
}

function decodeObject(json: Json, source: JsonSource, members: Members<never>): JsonObject {
  if (!isJsonObject(json)) {
    throw badRequest('Request body could not be decoded as the expected type');
  }
  const mismatch = mismatchOf(members, json, source);
  if (mismatch !== null) {
    throw badRequest(`Body field "${mismatch}" could not be decoded as the expected type`);
  }
  return json;
}

function contradict(object: JsonObject, pair: Pair): boolean {
  const given = pair.filter((key) => Object.hasOwn(object, key));
  return given.length === 2 && given.filter((key) => object[key] === null).length === 1;
}

/** Ambiguous pairs replace other issues of their members; the order of members stays. */
function inOrder<T>(read: Checked<T>, pairs: readonly Pair[], members: Members<never>): Checked<T> {
  if (pairs.length === 0) {
    return read;
  }
  const found = pairs.flatMap(ambiguous);
  const rest = read.ok
    ? []
    : read.issues.filter(({ field }) => !found.some((issue) => issue.field === field));
  const keys = Object.keys(members);
  const place = ({ field }: FieldIssue) => (keys.includes(field) ? keys.indexOf(field) : keys.length);
  const issues = [...found, ...rest].sort((a, b) => place(a) - place(b));
  return gathered([{ ok: false, issues, leftOut: read.ok ? 0 : (read.leftOut ?? 0) }]);
}

function accept<T>(read: Checked<T>): T {
  if (!read.ok) {
    throw invalid(read.issues, read.leftOut);
  }
  return read.value;
}

export type CheckedBody = { ok: true; checked: unknown } | { ok: false; refusal: Refusal };

interface Refusal {
  type: ProblemType;
  detail: string;
  fields: readonly FieldIssue[] | undefined;
}

export function checkBody(body: Body<unknown>, bytes: Uint8Array): CheckedBody {
  try {
    return { ok: true, checked: body.check(bytes) };
  } catch (error) {
    const { type, message, fields } = toProblem(error);
    if (type === 'internal_error') {
      throw error;
    }
    return { ok: false, refusal: { type, detail: message, fields } };
  }
}

/** @throws Problem if the body is refused. */
export function takeBody<T>(body: Body<T>, outcome: CheckedBody): T {
  if (outcome.ok) {
    return body.taken(outcome.checked);
  }
  const { type, detail, fields } = outcome.refusal;
  throw new Problem(type, detail, fields === undefined ? {} : { fields: [...fields] });
}
