import { type Condition, type Conditions, compileConditions } from './condition.ts';
import { compileEach, pathsOf, type Selection, type Selector } from './each.ts';
import { compileFields, type Fields } from './fields.ts';
import type { Compilation } from './language/compilation.ts';
import type { GroupsDefinition, RuleDefinition } from './language/definition.ts';
import { MAX_ITEMS } from './values/limits.ts';

export interface Rule {
  readonly documentConditions: readonly Condition[];
  readonly select: Selector;
  readonly wantsKeys: boolean;
  readonly place: string;
  readonly split: string | null;
  readonly itemConditions: readonly Condition[];
  readonly warn: readonly Condition[];
  readonly fields: Fields;
  /** The cost of its conditions, for each document. */
  readonly workOfDocument: number;
  /** The cost of looking up all of its values, for each item. */
  readonly work: number;
}

export function compileRule(
  definition: RuleDefinition,
  at: string,
  shared: Conditions,
  compilation: Compilation,
): Rule {
  const before = compilation.work;
  compilation.work += shared.work;
  compilation.usesKeys = shared.wantKeys;
  const own = compileConditions(definition.only, `${at}/only`, compilation);
  const conditions = [...own, ...shared.all];
  const warn = compileConditions(definition.warn, `${at}/warn`, compilation);
  const workOfDocument = compilation.work - before;
  const rule = {
    documentConditions: conditions.filter((condition) => condition.ofDocument),
    select: compileGroups(definition.groups, compileEach(definition.each, `${at}/each`, compilation)),
    place: placeOf(pathsOf(definition.each)),
    split: definition.split ?? null,
    itemConditions: conditions.filter((condition) => !condition.ofDocument),
    warn,
    fields: compileFields(definition.fields, `${at}/fields`, compilation),
  };
  return { ...rule, wantsKeys: compilation.usesKeys, workOfDocument, work: compilation.work - before };
}

function placeOf(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  return others.length < 4 ? paths.join(' or ') : `${first} and ${others.length} more places`;
}

/** Cuts selected texts of hex digits into groups of bytes, each an item; an incomplete group at the end is one, too. */
function compileGroups(groups: GroupsDefinition | undefined, select: Selector): Selector {
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
