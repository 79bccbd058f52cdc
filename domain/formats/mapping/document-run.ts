import { append } from '../../../base/append.ts';
import { splitFields } from './decoding/lines.ts';
import type { Selection } from './each.ts';
import { firstFailing, ignored, mapItem } from './map-item.ts';
import type { Ignored, Item, Mapped } from './outcome.ts';
import type { Policies } from './policies.ts';
import type { Rule } from './rule.ts';
import type { Scope } from './scope.ts';
import { MAX_ITEMS } from './values/limits.ts';

/** Why a message is rejected that its format makes too much work of. */
export const TOO_MUCH_WORK =
  'its format makes too much work of it: fewer candidates and transforms would do, of shorter texts';

/** Takes the documents of one message through the rules and collects the outcome of every item. */
export class DocumentRun {
  readonly #rules: readonly Rule[];
  readonly #scope: Scope;
  readonly #policies: Policies;
  readonly #outcomes: Item[] = [];
  #index = 0;
  #foundAny = false;

  constructor(rules: readonly Rule[], scope: Scope, policies: Policies) {
    this.#rules = rules;
    this.#scope = scope;
    this.#policies = policies;
  }

  /** @returns why the message is rejected as a whole: it now exceeds a limit. */
  add(document: unknown): string | null {
    const scope = this.#scope;
    const outcomes: Item[] = [];
    const sources: unknown[] = [];
    let found = false;
    let idle: Ignored | undefined;
    for (const rule of this.#rules) {
      scope.root = document;
      scope.parent = document;
      scope.item = document;
      scope.workLeft -= rule.workOfDocument;
      const selection = select(rule, scope);
      if (scope.workLeft < 0) {
        return TOO_MUCH_WORK;
      }
      if ('outcome' in selection) {
        idle ??= selection;
        continue;
      }
      found = true;
      if (this.#index + selection.items.length > MAX_ITEMS) {
        return `payload has more than ${MAX_ITEMS} items`;
      }
      for (let at = 0; at < selection.items.length; at++) {
        const item = selection.items[at];
        scope.parent = selection.parents[at];
        scope.item = rule.split !== null && typeof item === 'string' ? splitFields(item, rule.split) : item;
        outcomes.push(mapItem(rule, scope, this.#policies, this.#index));
        if (scope.workLeft < 0) {
          return TOO_MUCH_WORK;
        }
        sources.push(item);
        this.#index += 1;
      }
    }
    if (found) {
      this.#foundAny = true;
    } else if (idle !== undefined) {
      outcomes.push(idle);
    }
    append(this.#outcomes, this.#rules.length > 1 ? withoutRepeatedIgnoring(outcomes, sources) : outcomes);
    return null;
  }

  /** @param rest undecodable bytes after the documents. */
  result(rest: { readonly reason: string; readonly excerpt: string } | undefined): Mapped {
    if (rest !== undefined) {
      this.#outcomes.push({ outcome: 'rejected', ...rest, index: this.#index });
    }
    const [first] = this.#outcomes;
    // No document had a place for items: a status message, ignored as a whole.
    return first?.outcome === 'ignored' && !this.#foundAny && rest === undefined
      ? first
      : { outcome: 'items', items: this.#outcomes };
  }
}

function select(rule: Rule, scope: Scope): Selection | Ignored {
  const failed = firstFailing(rule.documentConditions, scope);
  if (failed !== undefined) {
    return ignored(rule, scope, failed.otherwise);
  }
  return rule.select(scope) ?? ignored(rule, scope, `nothing at ${rule.place}`);
}

/**
 * An item ignored by one rule but taken by another does not count as ignored. One ignored by all rules is
 * counted once.
 */
function withoutRepeatedIgnoring(outcomes: readonly Item[], sources: readonly unknown[]): Item[] {
  const taken = new Set(sources.filter((_source, at) => outcomes[at]?.outcome !== 'ignored'));
  return outcomes.filter((outcome, at) => {
    if (outcome.outcome !== 'ignored') {
      return true;
    }
    const isNew = !taken.has(sources[at]);
    taken.add(sources[at]);
    return isNew;
  });
}
