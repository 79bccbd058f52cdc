import { type Condition, type Conditions, compileConditions } from './condition.ts';
import { compileEach, pathsOf, type Selector } from './each.ts';
import { compileFields, type Fields } from './fields.ts';
import { compileGroups } from './groups.ts';
import type { Compilation } from './language/compilation.ts';
import type { RuleDefinition } from './language/definition.ts';

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
