import { compileConditions, compileElementConditions, type ElementConditions } from './condition.ts';
import type { Compilation } from './language/compilation.ts';
import {
  type CandidateDefinition,
  type Identity,
  type PartDefinition,
  PLACES,
} from './language/definition.ts';
import { compilePlace } from './place.ts';
import type { Scope } from './scope.ts';
import { compileTransforms } from './transforms/transforms.ts';
import { MAX_TEXT, TRANSFORM } from './values/limits.ts';
import { LongNumber, toText } from './values/long-number.ts';

export interface Candidate {
  /** The value after all transforms; undefined (or null) if unusable. */
  readonly read: (scope: Scope) => unknown;
  readonly source: (scope: Scope) => unknown;
  readonly name: string;
  /** The identity that a `value` serves; null for every one. */
  readonly identity: Identity | null;
}

interface Part {
  readonly read: (scope: Scope) => unknown;
  readonly source: (scope: Scope) => unknown;
  readonly name: string;
}

export function compileCandidate(
  definition: CandidateDefinition,
  at: string,
  compilation: Compilation,
): Candidate {
  const part = compilePart(definition, at, compilation);
  const conditions = compileConditions(definition.if, `${at}/if`, compilation);
  const identity = definition.identity ?? null;
  if (conditions.length === 0) {
    return { ...part, identity };
  }
  const considered = (scope: Scope) => conditions.every((condition) => condition.holds(scope));
  return {
    read: (scope) => (considered(scope) ? part.read(scope) : undefined),
    source: (scope) => (considered(scope) ? part.source(scope) : undefined),
    name: part.name,
    identity,
  };
}

function compilePart(definition: CandidateDefinition, at: string, compilation: Compilation): Part {
  const { source, name } = compileSource(definition, at, compilation);
  compilation.lookUp();
  const transform = compileTransforms(definition.transform, `${at}/transform`, compilation) ?? asItIs;
  const transforms = definition.transform?.length ?? 0;
  compilation.steps += transforms;
  compilation.work += TRANSFORM * transforms;
  const readings = Math.max(1, transforms);
  const read = (scope: Scope) => {
    const value = source(scope);
    if (value === undefined || value === null) {
      return undefined;
    }
    scope.workLeft -= lengthToRead(value) * readings;
    // One item has a bound, too: up to here a format may still have a thousand candidates to try.
    return scope.workLeft < 0 ? undefined : transform(value);
  };
  return { read, source, name };
}

function asItIs(value: unknown): unknown {
  return value;
}

/** Characters; longer texts are refused unread. */
function lengthToRead(value: unknown): number {
  const text = value instanceof LongNumber ? LongNumber.text(value) : value;
  return (typeof text === 'string' || Array.isArray(text)) && text.length <= MAX_TEXT ? text.length : 0;
}

const SOURCES = [...PLACES, 'const', 'join'] as const;

function compileSource(definition: CandidateDefinition, at: string, compilation: Compilation) {
  if (SOURCES.filter((key) => definition[key] !== undefined).length !== 1) {
    compilation.fault(
      at,
      'must have exactly one source: item, parent, grandparent, root, key, topic, const or join',
    );
  }
  if (definition.with !== undefined && definition.join === undefined) {
    compilation.fault(`${at}/with`, 'is of use with join only');
  }
  const isSearch = definition.where !== undefined || definition.take !== undefined;
  if (isSearch && (['const', 'join', 'topic', 'key'] as const).some((key) => definition[key] !== undefined)) {
    compilation.fault(at, 'may have where and take with a pointer only');
  }
  if (definition.const !== undefined) {
    const constant = definition.const;
    return { source: () => constant, name: `constant ${constant}` };
  }
  if (definition.join !== undefined) {
    return compileJoin(definition.join, definition.with ?? '', `${at}/join`, compilation);
  }
  return compileSearch(definition, at, compilation);
}

function compileJoin(
  definitions: readonly PartDefinition[],
  between: string,
  at: string,
  compilation: Compilation,
) {
  const parts = definitions.map((part, index) => compilePart(part, `${at}/${index}`, compilation));
  const source = (scope: Scope) => {
    const texts: string[] = [];
    for (const part of parts) {
      const text = toText(part.read(scope));
      if (text === undefined || text.length > MAX_TEXT) {
        return undefined;
      }
      texts.push(text);
    }
    return texts.join(between);
  };
  return { source, name: parts.map((part) => part.name).join(' + ') };
}

/** A place, or the first element of the array there for which `where` holds. */
function compileSearch(definition: PartDefinition, at: string, compilation: Compilation) {
  const place = compilePlace(definition, at, compilation);
  const { where, take } = definition;
  if (where === undefined || take === undefined) {
    if (where !== undefined || take !== undefined) {
      compilation.fault(at, 'must have where and take together');
    }
    return { source: place.get, name: place.name };
  }
  const conditions = compileElementConditions(where, `${at}/where`, compilation);
  const get = compilation.getter(take, `${at}/take`);
  const search = compilation.nextSearch();
  const source = (scope: Scope) => {
    const array = place.get(scope);
    if (!Array.isArray(array)) {
      return undefined;
    }
    if (scope.searchedIn[search] !== array) {
      scope.searchedIn[search] = array;
      scope.found[search] = get(firstHolding(array, conditions, scope));
    }
    return scope.found[search];
  };
  return { source, name: `${take} of an element of ${place.name}` };
}

function firstHolding(array: readonly unknown[], { hold, work }: ElementConditions, scope: Scope): unknown {
  for (const element of array) {
    scope.workLeft -= work;
    if (scope.workLeft < 0) {
      return undefined;
    }
    if (hold(element)) {
      return element;
    }
  }
  return undefined;
}
