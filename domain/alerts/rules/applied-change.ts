import { type FieldIssue, refuseIssues } from '../../../base/checks/issues.ts';
import { requireName } from '../../../base/names.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { appliedHours } from './applied-hours.ts';
import { boundsIssues } from './bounds-issues.ts';
import { foundAssets, foundLocation, foundMembers, foundReaders } from './found-by-name.ts';
import type { RuleChange } from './rule-change.ts';
import type { RuleSettings } from './settings.ts';
import { issuesOf } from './settings-issues.ts';

/**
 * What a rule is with a change, checked. In a transaction, what it refers to stays live until that ends.
 *
 * @throws Invalid with every fault, by the fields' names on the wire.
 */
export async function appliedChange(
  transaction: Connection,
  orgId: number,
  before: RuleSettings,
  given: RuleChange,
): Promise<RuleSettings> {
  requireName('a rule', given.name ?? before.name);
  refuseIssues(boundsIssues(given));
  const issues: FieldIssue[] = [];
  const to = { transaction, orgId, issues };
  const { selection } = before;
  const settings: RuleSettings = {
    kind: before.kind,
    name: given.name ?? before.name,
    after: given.after === undefined ? before.after : given.after,
    thenAfter: given.thenAfter === undefined ? before.thenAfter : given.thenAfter,
    hours: appliedHours(issues, before.hours, given),
    locationId: await foundLocation(
      to,
      'location_external_key',
      given.locationExternalKey,
      before.locationId,
    ),
    selection: {
      assetIds: await foundAssets(to, given.assetExternalKeys, selection.assetIds),
      withinLocationId: await foundLocation(
        to,
        'within_location_external_key',
        given.withinLocationExternalKey,
        selection.withinLocationId,
      ),
      metadata: given.metadata === undefined ? selection.metadata : (given.metadata ?? []),
      readerIds: await foundReaders(to, given.readerIds, selection.readerIds),
    },
    mailTo: await foundMembers(to, given.mailTo, before.mailTo),
  };
  // What was not found is named once, not called missing as well.
  refuseIssues(issues);
  refuseIssues(issuesOf(settings));
  return settings;
}
