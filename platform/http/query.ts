import { append } from '../../base/append.ts';
import {
  ambiguous,
  type FieldIssue,
  invalidValue,
  type Pair,
  refused,
  refuseIssues,
  required,
  unknownField,
} from '../../base/checks/issues.ts';
import type { Member, Parameter } from './parameters.ts';

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type ParameterValues<P> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

export interface Query<P extends Parameters = Parameters> {
  parameters: P;
  exclusive?: readonly Pair[];
  /** Parameters that mean nothing without another one. */
  needs?: Readonly<Record<string, string>>;
  /** Optional ones that the description's example has, as one of each pair is required. */
  shown?: readonly string[];
  /** Messages for parameters that callers commonly expect but this route does not have. */
  unsupported?: Readonly<Record<string, string>>;
  /** Ignores other parameters, for callers that add their own. */
  areOthersIgnored?: boolean;
}

export const NO_QUERY: Query<Record<never, never>> = { parameters: {} };

/**
 * Parses a query string.
 *
 * @throws Problem `validation_error` with all faults: parameters in declared order, then unknown ones
 * alphabetically.
 */
export function readQuery<P extends Parameters>(query: Query<P>, search: string): ParameterValues<P> {
  // The constructor strips one leading question mark, which may belong to the first name.
  const given = new URLSearchParams(`?${search}`);
  // An empty one is absent, or refused by itself.
  const isGiven = (name: string) => given.getAll(name).some((value) => value !== '');
  const pairs = (query.exclusive ?? []).filter((pair) => pair.every(isGiven));
  const ambiguities = new Map(pairs.flatMap(ambiguous).map((issue) => [issue.field, issue]));
  const undecodable = encodesUtf8(search) ? NONE : undecodableNames(search);
  const issues: FieldIssue[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(query.parameters)) {
    const ambiguity = ambiguities.get(name);
    const members = parameter.hasMembers === true ? membersOf(name, given) : [];
    const wrong = [name, ...members.map(([member]) => `${name}.${member}`)].filter((each) =>
      undecodable.has(each),
    );
    const read =
      wrong.length > 0
        ? refused(...wrong.map((each) => invalidValue(each, 'must be percent-encoded UTF-8')))
        : parameter.read(given.getAll(name), name, members);
    if (ambiguity !== undefined) {
      issues.push(ambiguity);
    } else if (read.ok) {
      values[name] = read.value;
    } else {
      append(issues, read.issues);
    }
  }
  const needed = Object.entries(query.needs ?? {}).filter(
    ([name, other]) => given.has(name) && !given.has(other),
  );
  append(
    issues,
    needed.map(([, other]) => required(other)),
  );
  refuseIssues([...issues, ...unknownParameters(query, given)]);
  return values as ParameterValues<P>;
}

/** The parameters that begin with the name and a dot. */
function membersOf(name: string, given: URLSearchParams): Member[] {
  return [...given]
    .filter(([each]) => each.startsWith(`${name}.`))
    .map(([each, value]) => [each.slice(name.length + 1), value]);
}

/** Names of values that are not UTF-8, which would be read as other characters. */
function undecodableNames(search: string): Set<string> {
  const wrong = search.split('&').filter((part) => !encodesUtf8(part));
  return new Set(wrong.flatMap((part) => [...new URLSearchParams(`?${part}`).keys()]));
}

const NONE: ReadonlySet<string> = new Set();

function unknownParameters(
  { parameters, unsupported = {}, areOthersIgnored = false }: Query,
  given: URLSearchParams,
): FieldIssue[] {
  if (areOthersIgnored) {
    return [];
  }
  return [...new Set(given.keys())]
    .filter((name) => !isDeclared(parameters, name))
    .sort()
    .map((name) =>
      unknownField(
        name,
        Object.hasOwn(unsupported, name) ? String(unsupported[name]) : `unknown parameter: ${name}`,
      ),
    );
}

function isDeclared(parameters: Parameters, given: string): boolean {
  const [name, ...members] = given.split('.');
  return (
    Object.hasOwn(parameters, name ?? '') &&
    members.length > 0 === (parameters[name ?? '']?.hasMembers === true)
  );
}

/** @throws Problem `validation_error`. */
export function readPath<P extends Parameters>(
  parameters: P,
  given: Readonly<Record<string, string>>,
): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  const issues: FieldIssue[] = [];
  for (const [name, parameter] of Object.entries(parameters)) {
    const read = parameter.read([given[name] ?? ''], name);
    if (read.ok) {
      values[name] = read.value;
    } else {
      append(issues, read.issues);
    }
  }
  refuseIssues(issues);
  return values as ParameterValues<P>;
}

/**
 * True if percent-decoding yields UTF-8. A percent sign that encodes nothing stands for itself, as in the URL
 * standard.
 */
export function encodesUtf8(text: string): boolean {
  if (!BEYOND_ASCII.test(text)) {
    return true;
  }
  try {
    decodeURIComponent(text.replace(LONE_PERCENT, '%25'));
    return true;
  } catch {
    return false;
  }
}

const BEYOND_ASCII = /%[89a-f]/i;
const LONE_PERCENT = /%(?![0-9a-f]{2})/gi;
