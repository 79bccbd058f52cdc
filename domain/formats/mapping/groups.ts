import type { Selection, Selector } from './each.ts';
import type { GroupsDefinition } from './language/definition.ts';
import { MAX_ITEMS } from './values/limits.ts';

/** Cuts selected texts of hex digits into groups of bytes, each an item; an incomplete group at the end is one, too. */
export function compileGroups(groups: GroupsDefinition | undefined, select: Selector): Selector {
  if (groups === undefined) {
    return select;
  }
  const size = 2 * groups.bytes;
  const from = 2 * (groups.from ?? 0);
  return (scope, wantsKeys) => {
    const selection = select(scope, wantsKeys);
    if (selection === undefined) {
      return undefined;
    }
    const cut: Selection = { items: [], arounds: [], keys: [] };
    for (let at = 0; at < selection.items.length && cut.items.length <= MAX_ITEMS; at++) {
      const keys = selection.keys[at] ?? null;
      for (const [index, item] of groupsOf(selection.items[at], size, from).entries()) {
        cut.items.push(item);
        cut.arounds.push(selection.arounds[at] ?? { node: scope.root, outer: null });
        cut.keys.push(wantsKeys ? { key: index, outer: keys } : null);
      }
    }
    return cut;
  };
}

/** Values other than text stay as they are, to be rejected. At most as many groups as a message may have items. */
function groupsOf(item: unknown, size: number, from: number): unknown[] {
  if (typeof item !== 'string') {
    return [item];
  }
  const groups: string[] = [];
  for (let at = from; at < item.length && groups.length <= MAX_ITEMS; at += size) {
    groups.push(item.slice(at, at + size));
  }
  return groups;
}
