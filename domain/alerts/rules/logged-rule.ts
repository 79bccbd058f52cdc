import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { differences, type Fields } from '../../changes/entry.ts';
import { assetKeysOf, locationKeysOf, settingsFields } from './rule-fields.ts';
import type { StoredRule } from './stored-rules.ts';

/** The logged part of a rule: people's settings, and when they hold. */
export async function loggedRule(db: Connection, rule: StoredRule): Promise<Fields> {
  const { orgId, settings, validFrom, endsAt } = rule;
  return {
    ...settingsFields(settings, await locationKeysOf(db, orgId, [settings])),
    asset_external_keys: await assetKeysOf(db, orgId, settings),
    valid_from: wireTimeOfMicros(validFrom),
    ends_at: endsAt === null ? null : wireTimeOfMicros(endsAt),
  };
}

/** The differences between two of {@link loggedRule}; lists are compared by their elements. */
export function loggedDifferences(before: Fields, after: Fields): { before: Fields; after: Fields } {
  const isSame = (name: string) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  const compared = Object.keys(after).map((name) => [name, isSame(name) ? before[name] : after[name]]);
  return differences(before, Object.fromEntries(compared)) ?? { before: {}, after: {} };
}
