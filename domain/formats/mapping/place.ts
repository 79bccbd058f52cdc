import type { Compilation } from './language/compilation.ts';
import type { PlaceDefinition } from './language/definition.ts';
import { compileStep, parsePointer } from './language/pointer.ts';
import type { Keys, Scope } from './scope.ts';

export interface Place {
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
