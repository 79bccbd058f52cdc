import type { Compilation } from './language/compilation.ts';
import type { PlaceDefinition } from './language/definition.ts';
import type { Getter } from './language/pointer.ts';
import type { Scope } from './scope.ts';

export interface Place {
  readonly get: (scope: Scope) => unknown;
  /** Name in reasons: `item /data/idHex`, `topic level -1`. */
  readonly name: string;
  /** True if it is the same for all items of a document. */
  readonly ofDocument: boolean;
}

/** Exactly one key of `definition` names the place. */
export function compilePlace(definition: PlaceDefinition, at: string, compilation: Compilation): Place {
  const { item, parent, root, topic } = definition;
  if (topic !== undefined) {
    return {
      get: (scope) => scope.levels.at(topic),
      name: `topic level ${topic}`,
      ofDocument: true,
    };
  }
  if (root !== undefined) {
    const get = compilation.getter(root, `${at}/root`);
    return { get: (scope) => get(scope.root), name: named('root', root), ofDocument: true };
  }
  if (parent !== undefined) {
    const get = compilation.getter(parent, `${at}/parent`);
    return { get: (scope) => get(scope.parent), name: named('parent', parent), ofDocument: false };
  }
  const get: Getter = compilation.getter(item ?? '', `${at}/item`);
  return { get: (scope) => get(scope.item), name: named('item', item ?? ''), ofDocument: false };
}

function named(base: string, pointer: string): string {
  return pointer === '' ? base : `${base} ${pointer}`;
}
