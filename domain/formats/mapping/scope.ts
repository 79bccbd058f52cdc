import type { Compilation } from './language/compilation.ts';
import type { PlaceDefinition } from './language/definition.ts';
import { compileStep, parsePointer } from './language/pointer.ts';

/** Objects around an item, from the nearest to the document. */
export interface Around {
  readonly node: unknown;
  readonly outer: Around | null;
}

/** Keys and indexes of an item, from the last `*` or `{}` of `each` to the first. */
export type Keys = { readonly key: string | number; readonly outer: Keys } | null;

/** Values that a rule's candidates and conditions can see. One per message, moved from item to item. */
export class Scope {
  root: unknown = undefined;
  /** The nearest object around the item; the document if there is none. */
  parent: unknown = undefined;
  grandparent: unknown = undefined;
  item: unknown = undefined;
  keys: Keys = null;
  /**
   * Last result of each `where` with its array, by the candidate's number. Searching an array once per item
   * would make the work quadratic in the payload.
   */
  readonly searchedIn: unknown[] = [];
  readonly found: unknown[] = [];
  /** Work that is left for the message; below zero, it is given up after the item. */
  workLeft: number;

  readonly #topic: string;
  #levels: readonly string[] | undefined;

  /** @param work in characters transformed; looking a value up counts as `LOOK_UP`. */
  constructor(topic: string, work: number) {
    this.#topic = topic;
    this.workLeft = work;
  }

  /** Sees a document. */
  enter(document: unknown): void {
    this.root = document;
    this.parent = document;
    this.grandparent = document;
    this.item = document;
    this.keys = null;
  }

  /** Sees an item of the document. */
  see(item: unknown, around: Around, keys: Keys): void {
    this.parent = around.node;
    this.grandparent = around.outer === null ? this.root : around.outer.node;
    this.item = item;
    this.keys = keys;
  }

  /** Split on first use, since most formats ignore the topic. */
  get levels(): readonly string[] {
    this.#levels ??= this.#topic.split('/');
    return this.#levels;
  }
}

interface Place {
  readonly get: (scope: Scope) => unknown;
  /** Name in reasons: `item /data/idHex`, `topic level -1`. */
  readonly name: string;
  /** True if it is the same for all items of a document. */
  readonly ofDocument: boolean;
}

/** Exactly one key of `definition` names the place. */
export function compilePlace(definition: PlaceDefinition, at: string, compilation: Compilation): Place {
  const { item, parent, grandparent, root, key, topic } = definition;
  if (topic !== undefined) {
    return {
      get: (scope) => scope.levels.at(topic),
      name: `topic level ${topic}`,
      ofDocument: true,
    };
  }
  if (key !== undefined) {
    compilation.usesKeys = true;
    return { get: (scope) => keyAt(scope.keys, key), name: `key ${key}`, ofDocument: false };
  }
  if (root !== undefined) {
    const { get, ofItem } = compileWalk(root, `${at}/root`, compilation);
    return { get: (scope) => get(scope.root, scope), name: named('root', root), ofDocument: !ofItem };
  }
  if (grandparent !== undefined) {
    const { get } = compileWalk(grandparent, `${at}/grandparent`, compilation);
    const name = named('grandparent', grandparent);
    return { get: (scope) => get(scope.grandparent, scope), name, ofDocument: false };
  }
  if (parent !== undefined) {
    const { get } = compileWalk(parent, `${at}/parent`, compilation);
    return { get: (scope) => get(scope.parent, scope), name: named('parent', parent), ofDocument: false };
  }
  const { get } = compileWalk(item ?? '', `${at}/item`, compilation);
  return { get: (scope) => get(scope.item, scope), name: named('item', item ?? ''), ofDocument: false };
}

const OWN_KEY = '$';

/** A walk along a pointer in which `$` stands for the item's own key or index. */
function compileWalk(pointer: string, at: string, compilation: Compilation) {
  const get: (value: unknown, scope: Scope) => unknown = compilation.getter(pointer, at);
  const names = parsePointer(pointer) ?? [];
  if (!names.includes(OWN_KEY)) {
    return { get, ofItem: false };
  }
  compilation.usesKeys = true;
  const steps = names.map((name) => (name === OWN_KEY ? atOwnKey : compileStep(name)));
  const walk = (value: unknown, scope: Scope) => steps.reduce((node, step) => step(node, scope), value);
  return { get: walk, ofItem: true };
}

/** A member that is called `$` goes first: payloads made from XML have such. */
function atOwnKey(node: unknown, { keys }: Scope): unknown {
  if (Array.isArray(node)) {
    return typeof keys?.key === 'number' ? node[keys.key] : undefined;
  }
  if (typeof node !== 'object' || node === null) {
    return undefined;
  }
  const members = node as Record<string, unknown>;
  if (Object.hasOwn(members, OWN_KEY)) {
    return members[OWN_KEY];
  }
  return keys !== null && Object.hasOwn(members, keys.key) ? members[keys.key] : undefined;
}

function keyAt(keys: Keys, at: number): string | number | undefined {
  const all: (string | number)[] = [];
  for (let each = keys; each !== null; each = each.outer) {
    all.unshift(each.key);
  }
  return all.at(at);
}

function named(base: string, pointer: string): string {
  return pointer === '' ? base : `${base} ${pointer}`;
}
