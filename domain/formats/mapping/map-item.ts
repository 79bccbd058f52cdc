import type { TagType } from '../../tracking/tag-type.ts';
import type { Condition } from './condition.ts';
import type { Ignored, Item, TagRead } from './outcome.ts';
import type { Policies } from './policies.ts';
import { whyNoTagType, whyNoValue } from './rejection.ts';
import type { Rule } from './rule.ts';
import type { Scope } from './scope.ts';
import { EXCERPT } from './values/limits.ts';
import { excerptOf } from './values/printable.ts';

/**
 * Outcome of the scope's item, the `index`th of its message. Only an unusable tag type or value rejects it: a
 * read without antenna, RSSI or time is better than none.
 */
export function mapItem(rule: Rule, scope: Scope, policies: Policies, index: number): Item {
  scope.workLeft -= rule.work;
  const failed = firstFailing(rule.itemConditions, scope);
  if (failed !== undefined) {
    return ignored(rule, scope, failed.otherwise);
  }
  const { fields } = rule;
  const tagType = fields.tagType(scope);
  if (tagType === undefined) {
    return rejected(scope, index, whyNoTagType(fields.tagTypes, scope));
  }
  const value = fields.value[policies.identity](scope);
  if (value === undefined) {
    return withoutValue(rule, scope, policies, index);
  }
  const read: TagRead = {
    tagType,
    value,
    antenna: fields.antenna(scope) ?? 1,
    rssi: fields.rssi(scope) ?? null,
    deviceTime: policies.time === 'device' ? (fields.observedAt(scope) ?? null) : null,
    reader: fields.reader(scope) ?? null,
    reportUnknown: reportsUnknown(tagType, policies),
  };
  return { outcome: 'read', read };
}

export function firstFailing(conditions: readonly Condition[], scope: Scope): Condition | undefined {
  for (const condition of conditions) {
    if (!condition.holds(scope)) {
      return condition;
    }
  }
  return undefined;
}

export function ignored(rule: Rule, scope: Scope, reason: string): Ignored {
  const warning = rule.warn.find((condition) => condition.holds(scope));
  return warning === undefined
    ? { outcome: 'ignored', reason }
    : { outcome: 'ignored', reason, warning: warning.saying };
}

function withoutValue(rule: Rule, scope: Scope, policies: Policies, index: number): Item {
  const { identity } = policies;
  const candidates = rule.fields.values[identity];
  if (candidates.all.length === 0) {
    return rejected(scope, index, `the format has no value for the identity ${identity}`);
  }
  const isBeacon = identity === 'ibeacon' || identity === 'eddystone';
  return isBeacon && candidates.all.some((candidate) => candidate.identity === identity)
    ? ignored(rule, scope, `holds no ${identity} identity`)
    : rejected(scope, index, whyNoValue(candidates, scope));
}

function rejected(scope: Scope, index: number, reason: string): Item {
  scope.workLeft -= EXCERPT;
  return { outcome: 'rejected', reason, index, excerpt: excerptOf(scope.item) };
}

function reportsUnknown(tagType: TagType, policies: Policies): boolean {
  return policies.reportUnknown === null ? tagType !== 'ble' : policies.reportUnknown === 'on';
}
