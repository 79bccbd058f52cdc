import { toMicros } from '../../../base/timestamps.ts';
import { ALERT_SORT_FIELDS, type AlertFilters } from '../../../domain/alerts/listing/list-alerts.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import { anyOf, choiceFilter, described, idFilter, timeBound } from '../../../platform/http/parameters.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { ulidFilter, ulidInPath } from '../serving/ulid-parameter.ts';
import { ALERT_STATES } from './alert-schema.ts';

export const ONE_ALERT = {
  alert_id: described(ulidInPath, 'Id of the alert.', '01KQSB3M8R0E5T9V2W4X6Y8Z1B'),
};

/** Contract 4.10. */
export const ALERTS = {
  parameters: {
    state: described(anyOf(choiceFilter(ALERT_STATES, undefined)), 'Only alerts in one of these states.', [
      'open',
      'acknowledged',
    ]),
    rule_id: described(anyOf(ulidFilter), 'Only alerts of these rules.', ['01KQS9Z0T4N7Q1XK5R8W2Y3C6D']),
    asset_id: described(anyOf(idFilter), 'Only alerts about these assets.', [17]),
    from: described(
      timeBound,
      'Only alerts that were not over by then, as observed.',
      '2026-05-01T00:00:00Z',
    ),
    to: described(
      timeBound,
      'Only alerts that were opened before then, as observed.',
      '2026-06-01T00:00:00Z',
    ),
    sort: sortBy(ALERT_SORT_FIELDS, [{ field: 'opened_at', isDescending: true }]),
    ...PAGING,
  },
} as const satisfies Query;

export function filtersFrom({
  rule_id: ruleIds,
  asset_id: assetIds,
  from,
  to,
  ...rest
}: ParameterValues<(typeof ALERTS)['parameters']>): AlertFilters {
  return {
    ...{ ...rest, ruleIds, assetIds },
    from: from === undefined ? undefined : toMicros(from.instant),
    to: to === undefined ? undefined : toMicros(to.instant),
  };
}
