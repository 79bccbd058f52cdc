import type { Compilation } from './language/compilation.ts';
import type { EachDefinition } from './language/definition.ts';
import { compileStep, type Getter } from './language/pointer.ts';
import type { Around, Keys, Scope } from './scope.ts';
import { MAX_ITEMS, NAME } from './values/limits.ts';
import { LongNumber } from './values/long-number.ts';

export interface Selection {
  readonly items: unknown[];
  readonly arounds: Around[];
  readonly keys: Keys[];
}

/** Finds items in a document; undefined if it has no place for items (an empty array is a place). */
export type Selector = (scope: Scope, wantsKeys: boolean) => Selection | undefined;

type Step = Getter | typeof ELEMENTS | typeof MEMBERS;
const ELEMENTS = '*';
const MEMBERS = '{}';

/** `each` of a rule. */
export function compileEach(each: EachDefinition, at: string, compilation: Compilation): Selector {
  const isAll = typeof each === 'object' && 'all' in each;
  const paths = pathsOf(each).map((pointer, index) => {
    const own = typeof each === 'string' ? at : `${at}${isAll ? '/all' : ''}/${index}`;
    const names = compilation.names(pointer, own);
    const steps = names.map(
      (name): Step => (name === ELEMENTS || name === MEMBERS ? name : compileStep(name)),
    );
    return { steps, last: steps.findLastIndex((step) => typeof step === 'string') };
  });
  return (scope, wantsKeys) => {
    const found: Found = { items: [], arounds: [], keys: [], scope, wantsKeys, isAll };
    const around = { node: scope.root, outer: null };
    const matches = (path: Path) => select(path, 0, scope.root, around, null, found);
    const hasMatch = isAll ? paths.filter(matches).length > 0 : paths.some(matches);
    return hasMatch ? found : undefined;
  };
}

export function pathsOf(each: EachDefinition): readonly string[] {
  if (typeof each === 'string') {
    return [each];
  }
  return 'all' in each ? each.all : each;
}

interface Path {
  readonly steps: readonly Step[];
  /** Index of the last `*` or `{}`. */
  readonly last: number;
}

interface Found extends Selection {
  /** Counts the work for every visited value. */
  readonly scope: Scope;
  readonly wantsKeys: boolean;
  /** An element that lacks the rest of one path may have its items at another. */
  readonly isAll: boolean;
}

/**
 * Walks `path` from step `index` on. A pointer matches if it leads to something, or to an array or object for the last
 * `*` or `{}`, or one on the way is empty. Anything missing after the last is still an item (an empty one,
 * to be rejected), so that nothing vanishes uncounted; not so if all paths are used.
 */
function select(path: Path, index: number, node: unknown, around: Around, keys: Keys, into: Found): boolean {
  into.scope.workLeft -= NAME;
  if (into.scope.workLeft < 0) {
    return false;
  }
  const step = path.steps[index];
  if (step === undefined) {
    if (node === undefined || node === null) {
      return false;
    }
    add(node, around, keys, into);
    return true;
  }
  const within = isPlainObject(node) && node !== around.node ? { node, outer: around } : around;
  if (typeof step === 'function') {
    return select(path, index + 1, step(node), within, keys, into);
  }
  if (step === ELEMENTS ? !Array.isArray(node) : !isPlainObject(node)) {
    return false;
  }
  return selectEvery(path, index, node as object, within, keys, into);
}

/**
 * Before the last `*` or `{}`, elements without a further one hold no items; at the last, each element is an item, or
 * holds one.
 */
function selectEvery(
  path: Path,
  index: number,
  node: object,
  around: Around,
  keys: Keys,
  into: Found,
): boolean {
  const isLast = index === path.last && !(into.isAll && index + 1 < path.steps.length);
  let matches = isLast || isEmpty(node);
  const visit = (key: string | number, element: unknown) => {
    const own = into.wantsKeys ? { key, outer: keys } : null;
    if (select(path, index + 1, element, around, own, into)) {
      matches = true;
    } else if (isLast) {
      add(null, around, own, into);
    }
    return into.scope.workLeft >= 0 && into.items.length <= MAX_ITEMS;
  };
  if (Array.isArray(node)) {
    node.every((element, at) => visit(at, element));
  } else {
    Object.keys(node).every((key) => visit(key, (node as Record<string, unknown>)[key]));
  }
  return matches;
}

function isEmpty(node: object): boolean {
  return Array.isArray(node) ? node.length === 0 : Object.keys(node).length === 0;
}

function add(item: unknown, around: Around, keys: Keys, into: Selection): void {
  into.items.push(item);
  into.arounds.push(around);
  into.keys.push(keys);
}

function isPlainObject(node: unknown): boolean {
  return typeof node === 'object' && node !== null && !Array.isArray(node) && !(node instanceof LongNumber);
}
