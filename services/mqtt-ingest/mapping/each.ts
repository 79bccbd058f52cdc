import type { Compilation } from './compilation.ts';
import { compileStep, type Getter, parsePointer } from './pointer.ts';

/** The items that a rule found in a document, and beside each the nearest object around it. */
export interface Selection {
  readonly items: unknown[];
  readonly parents: unknown[];
}

/** Finds the items in a document; undefined if there is no place for items in it (an empty array is a place). */
export type Selector = (root: unknown) => Selection | undefined;

/** A step down to a member, or to every element of an array. */
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
    const tokens = parsePointer(pointer);
    if (tokens === undefined) {
      const here = typeof each === 'string' ? at : `${at}/${index}`;
      compilation.fault(here, `is not a JSON Pointer: ${JSON.stringify(pointer)}`);
    }
    return (tokens ?? []).map((token) => (token === EVERY ? EVERY : compileStep(token)));
  });
  return (root) => {
    const selection: Selection = { items: [], parents: [] };
    return paths.some((path) => select(path, 0, root, root, selection)) ? selection : undefined;
  };
}

/**
 * Walks `path` from step `index` on. Whether it matches: up to the first `*` everything must be there; what is
 * missing after it is an item all the same (an empty one, to be rejected), so that nothing vanishes uncounted.
 */
function select(
  path: readonly Step[],
  index: number,
  node: unknown,
  parent: unknown,
  into: Selection,
): boolean {
  const step = path[index];
  if (step === undefined) {
    if (node === undefined || node === null) {
      return false;
    }
    into.items.push(node);
    into.parents.push(parent);
    return true;
  }
  if (step === EVERY) {
    return Array.isArray(node) && selectEvery(path, index + 1, node, parent, into);
  }
  return select(path, index + 1, step(node), isPlainObject(node) ? node : parent, into);
}

function selectEvery(
  path: readonly Step[],
  index: number,
  array: readonly unknown[],
  parent: unknown,
  into: Selection,
): true {
  const holdsMore = path.includes(EVERY, index);
  for (const element of array) {
    if (!select(path, index, element, parent, into) && !holdsMore) {
      into.items.push(null);
      into.parents.push(parent);
    }
  }
  return true;
}

function isPlainObject(node: unknown): boolean {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
