import type { Compilation } from './language/compilation.ts';
import {
  type ConditionDefinition,
  type ElementConditionDefinition,
  PLACES,
  type PlainCondition,
  type Scalar,
} from './language/definition.ts';
import { compilePlace, type Scope } from './scope.ts';
import { LongNumber, toNumber } from './values/long-number.ts';

export interface Condition {
  readonly holds: (scope: Scope) => boolean;
  /** Brief reason for failure. Built beforehand: heartbeats are frequent. */
  readonly otherwise: string;
  readonly saying: string;
  readonly ofDocument: boolean;
  /** Whether the condition selects reads; the others exclude items. */
  readonly asksFor: boolean;
}

export interface Conditions {
  readonly all: readonly Condition[];
  /** The cost of trying them on an item. */
  readonly work: number;
  readonly wantKeys: boolean;
}

/** Conditions of the whole format: compiled once, tried by each rule. */
export function compileShared(
  definitions: readonly ConditionDefinition[] | undefined,
  compilation: Compilation,
): Conditions {
  const before = compilation.work;
  const all = compileConditions(definitions, '/only', compilation);
  return { all, work: compilation.work - before, wantKeys: compilation.usesKeys };
}

export function compileConditions(
  definitions: readonly ConditionDefinition[] | undefined,
  at: string,
  compilation: Compilation,
): Condition[] {
  return (definitions ?? []).map((definition, index) => {
    const { any, ...alone } = definition;
    if (any === undefined) {
      return compilePlain(alone, `${at}/${index}`, compilation);
    }
    if (Object.keys(alone).length > 0) {
      compilation.fault(`${at}/${index}`, 'must have nothing beside any');
    }
    return anyOf(any.map((each, n) => compilePlain(each, `${at}/${index}/any/${n}`, compilation)));
  });
}

function compilePlain(definition: PlainCondition, at: string, compilation: Compilation): Condition {
  if (PLACES.filter((key) => definition[key] !== undefined).length !== 1) {
    compilation.fault(at, 'must name exactly one place: item, parent, grandparent, root, key or topic');
  }
  const place = compilePlace(definition, at, compilation);
  compilation.lookUp();
  const { test, saying, otherwise } = compileTest(definition, at, compilation);
  return {
    holds: (scope: Scope) => test(place.get(scope)),
    saying: `${place.name} ${saying}`,
    otherwise: `${place.name} ${otherwise}`,
    ofDocument: place.ofDocument,
    asksFor: definition.exists === true || definition.in !== undefined,
  };
}

function anyOf(all: readonly Condition[]): Condition {
  return {
    holds: (scope) => all.some((condition) => condition.holds(scope)),
    saying: all
      .map((condition) => condition.saying)
      .join(' or ')
      .slice(0, 300),
    otherwise: all
      .map((condition) => condition.otherwise)
      .join(' and ')
      .slice(0, 300),
    ofDocument: all.every((condition) => condition.ofDocument),
    asksFor: all.every((condition) => condition.asksFor),
  };
}

export interface ElementConditions {
  readonly hold: (element: unknown) => boolean;
  /** The cost of trying them on an element. */
  readonly work: number;
}

export function compileElementConditions(
  definitions: readonly ElementConditionDefinition[],
  at: string,
  compilation: Compilation,
): ElementConditions {
  const before = compilation.work;
  const tests = definitions.map((definition, index) => {
    compilation.lookUp();
    const get = compilation.getter(definition.element, `${at}/${index}/element`);
    const { test } = compileTest(definition, `${at}/${index}`, compilation);
    return (element: unknown) => test(get(element));
  });
  const hold = (element: unknown) => tests.every((test) => test(element));
  return { hold, work: compilation.work - before };
}

interface TestDefinition {
  readonly exists?: boolean;
  readonly in?: readonly Scalar[];
  readonly not?: readonly Scalar[];
}

/** Null counts as missing; a missing value is in no list. Values are compared with their types: 1 is not "1". */
function compileTest(definition: TestDefinition, at: string, compilation: Compilation) {
  const { exists, in: among, not } = definition;
  compilation.steps += (among ?? not ?? []).length;
  if ([exists, among, not].filter((test) => test !== undefined).length !== 1) {
    compilation.fault(at, 'must have exactly one test: exists, in or not');
  }
  if (exists !== undefined) {
    const test = (value: unknown) => (value !== undefined && value !== null) === exists;
    const [saying, otherwise] = exists
      ? (['exists', 'does not exist'] as const)
      : (['does not exist', 'exists'] as const);
    return { test, saying, otherwise };
  }
  const listed = new Set<unknown>(among ?? not);
  const isListed = (value: unknown) => listed.has(value instanceof LongNumber ? toNumber(value) : value);
  const names = [...listed].join(', ').slice(0, 100);
  const [isOne, isNone] = [`is one of: ${names}`, `is none of: ${names}`];
  return among === undefined
    ? { test: (value: unknown) => !isListed(value), saying: isNone, otherwise: isOne }
    : { test: isListed, saying: isOne, otherwise: isNone };
}
