import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import { UNBOUND } from '../../../../domain/tracking/reading-bound.ts';

/** A rule of all assets, valid always, but for what is given. */
export function ruleOf(fields: Partial<DatedRule>): DatedRule {
  return {
    ...{ ruleId: 'RULE', orgId: 1, kind: 'dwell', name: '', after: null, thenAfter: null, locationId: null },
    ...{ hours: null, bound: UNBOUND, mailTo: [], from: 0, until: null },
    selection: { assetIds: null, withinLocationId: null, metadata: [], readerIds: null },
    ...fields,
  };
}
