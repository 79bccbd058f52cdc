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
import { type BodyType, JSON_TYPE, MERGE_PATCH_TYPE } from './media-type.ts';
import { badRequest } from './problem.ts';

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
  /** @throws Problem as {@link Body.check} does. */
  receive(chunks: AsyncIterable<Buffer>, headers: IncomingHttpHeaders): Promise<T>;
}

const CREATE_ADVICE = 'omit the field to use the server default, or provide a value';

export interface BodyRules extends SchemaNotes {
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

export interface PatchRules extends SchemaNotes {
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
