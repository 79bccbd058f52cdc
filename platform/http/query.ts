import { refuseIssues } from '../../base/checks/invalid.ts';
import {
  ambiguous,
  type FieldIssue,
  invalidValue,
  type Pair,
  refused,
  unknownField,
} from '../../base/checks/issues.ts';
import type { Parameter } from './parameters.ts';
import { encodesUtf8 } from './percent-encoding.ts';

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What the parameters are read into. */
export type ParameterValues<P> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

/** The query parameters of a route. */
export interface Query<P extends Parameters = Parameters> {
  parameters: P;
  /** Two parameters that say the same, of which only one may be there. */
  exclusive?: readonly Pair[];
  /** What is said of parameters that are unknown here and expected by many. */
  unsupported?: Readonly<Record<string, string>>;
}

/** The query of a route that takes no parameter. */
export const NO_QUERY: Query<Record<never, never>> = { parameters: {} };

/**
 * Reads a query string, percent-decoded.
 *
 * @throws Problem `validation_error` with everything that is wrong: parameters in the order they are declared in,
 * then unknown ones in alphabetical order.
 */
export function readQuery<P extends Parameters>(query: Query<P>, search: string): ParameterValues<P> {
  // Without its own question mark the constructor would take one that belongs to the first name.
  const given = new URLSearchParams(`?${search}`);
  const pairs = (query.exclusive ?? []).filter((pair) => pair.every((name) => given.has(name)));
  const ambiguities = new Map(pairs.flatMap(ambiguous).map((issue) => [issue.field, issue]));
  const undecodable = encodesUtf8(search) ? NONE : undecodableNames(search);
  const issues: FieldIssue[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(query.parameters)) {
    const ambiguity = ambiguities.get(name);
    const read = undecodable.has(name)
      ? refused(invalidValue(name, 'must be percent-encoded UTF-8'))
      : parameter.read(given.getAll(name), name);
    if (ambiguity !== undefined) {
      issues.push(ambiguity);
    } else if (read.ok) {
      values[name] = read.value;
    } else {
      issues.push(...read.issues);
    }
  }
  refuseIssues([...issues, ...unknownParameters(query, given)]);
  return values as ParameterValues<P>;
}

/** Names of which some value is not UTF-8; it would be read as if it had other characters. */
function undecodableNames(search: string): Set<string> {
  const wrong = search.split('&').filter((part) => !encodesUtf8(part));
  return new Set(wrong.flatMap((part) => [...new URLSearchParams(`?${part}`).keys()]));
}

const NONE: ReadonlySet<string> = new Set();

function unknownParameters({ parameters, unsupported = {} }: Query, given: URLSearchParams): FieldIssue[] {
  return [...new Set(given.keys())]
    .filter((name) => !Object.hasOwn(parameters, name))
    .sort()
    .map((name) =>
      unknownField(
        name,
        Object.hasOwn(unsupported, name) ? String(unsupported[name]) : `unknown parameter: ${name}`,
      ),
    );
}

/** Reads the parameters of a path. @throws Problem `validation_error`. */
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
      issues.push(...read.issues);
    }
  }
  refuseIssues(issues);
  return values as ParameterValues<P>;
}
