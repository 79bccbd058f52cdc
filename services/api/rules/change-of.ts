import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { RuleChange } from '../../../domain/alerts/rules/rule-change.ts';
import type { RulePatch } from './schema.ts';

/** The settings of a rule in a body. */
export function changeOf(body: RulePatch): RuleChange {
  return {
    ...{ name: body.name, after: inMicros(body.after_seconds), thenAfter: inMicros(body.then_seconds) },
    ...{ locationExternalKey: body.location_external_key, hours: body.hours, timeZone: body.time_zone },
    assetExternalKeys: body.asset_external_keys,
    withinLocationExternalKey: body.within_location_external_key,
    ...{ metadata: body.metadata, readerIds: body.reader_ids, mailTo: body.mail_to },
  };
}

function inMicros(seconds: number | null | undefined): Micros | null | undefined {
  return seconds == null ? seconds : seconds * MICROS_PER_SECOND;
}
