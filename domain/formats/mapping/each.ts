import type { Compilation } from './language/compilation.ts';
import { compileStep, type Getter, parsePointer } from './language/pointer.ts';

export interface Selection {
  readonly items: unknown[];
  readonly parents: unknown[];
}

/** Finds items in a document; undefined if it has no place for items (an empty array is a place). */
export type Selector = (root: unknown) => Selection | undefined;

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
 * Walks `path` from step `index` on. A pointer matches if it leads to something, or to an array for the last
 * `*`, or an array on the way is empty. Anything missing after the last `*` is still an item (an empty one,
 * to be rejected), so that nothing vanishes uncounted.
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
  into: Selection,
): boolean {
  let matches = array.length === 0;
  for (const element of array) {
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
  into: Selection,
): true {
  for (const element of array) {
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
