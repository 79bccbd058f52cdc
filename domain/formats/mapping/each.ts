import type { Compilation } from './language/compilation.ts';
import { compileStep, type Getter } from './language/pointer.ts';
import type { Scope } from './scope.ts';
import { NAME } from './values/limits.ts';

export interface Selection {
  readonly items: unknown[];
  readonly parents: unknown[];
}

/** Finds items in a document; undefined if it has no place for items (an empty array is a place). */
export type Selector = (scope: Scope) => Selection | undefined;

type Step = Getter | typeof EVERY;
const EVERY = '*';

/** `each` of a rule: of several pointers, the first that matches is used. */
export function compileEach(
  each: string | readonly string[],
  at: string,
  compilation: Compilation,
): Selector {
  const pointers = typeof each === 'string' ? [each] : each;
  const paths = pointers.map((pointer, index): Step[] => {
    const names = compilation.names(pointer, typeof each === 'string' ? at : `${at}/${index}`);
    return names.map((name) => (name === EVERY ? EVERY : compileStep(name)));
  });
  return (scope) => {
    const selection: Found = { items: [], parents: [], scope };
    return paths.some((path) => select(path, 0, scope.root, scope.root, selection)) ? selection : undefined;
  };
}

interface Found extends Selection {
  /** Pays for every value that is looked at. */
  readonly scope: Scope;
}

/**
 * Walks `path` from step `index` on. A pointer matches if it leads to something, or to an array for the last
 * `*`, or an array on the way is empty. Anything missing after the last `*` is still an item (an empty one,
 * to be rejected), so that nothing vanishes uncounted.
 */
function select(path: readonly Step[], index: number, node: unknown, parent: unknown, into: Found): boolean {
  into.scope.workLeft -= NAME;
  if (into.scope.workLeft < 0) {
    return false;
  }
  const step = path[index];
  if (step === undefined) {
    if (node === undefined || node === null) {
      return false;
    }
    into.items.push(node);
    into.parents.push(parent);
    return true;
  }
  const around = isPlainObject(node) ? node : parent;
  if (step !== EVERY) {
    return select(path, index + 1, step(node), around, into);
  }
  if (!Array.isArray(node)) {
    return false;
  }
  return path.includes(EVERY, index + 1)
    ? selectWithin(path, index + 1, node, around, into)
    : selectEvery(path, index + 1, node, around, into);
}

/** A `*` before the last: elements without a further array hold no items. */
function selectWithin(
  path: readonly Step[],
  index: number,
  array: readonly unknown[],
  parent: unknown,
  into: Found,
): boolean {
  let matches = array.length === 0;
  for (const element of array) {
    if (into.scope.workLeft < 0) {
      break;
    }
    matches = select(path, index, element, parent, into) || matches;
  }
  return matches;
}

/** The last `*`: each element is an item, or holds one. */
function selectEvery(
  path: readonly Step[],
  index: number,
  array: readonly unknown[],
  parent: unknown,
  into: Found,
): true {
  for (const element of array) {
    if (into.scope.workLeft < 0) {
      break;
    }
    if (!select(path, index, element, parent, into)) {
      into.items.push(null);
      into.parents.push(parent);
    }
  }
  return true;
}

function isPlainObject(node: unknown): boolean {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
