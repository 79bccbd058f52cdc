import type { Identity, ReportUnknown, TimePolicy } from './language/definition.ts';

export interface Policies {
  readonly identity: Identity;
  readonly time: TimePolicy;
  /** Null: depends on the tag type: off for ble (strangers' advertisements), on for the others. */
  readonly reportUnknown: ReportUnknown | null;
}

export const DEFAULT_POLICIES: Policies = { identity: 'mac', time: 'device', reportUnknown: null };

export function withOverrides(policies: Policies, overrides: Partial<Policies> | undefined): Policies {
  if (overrides === undefined) {
    return policies;
  }
  return {
    identity: overrides.identity ?? policies.identity,
    time: overrides.time ?? policies.time,
    reportUnknown: overrides.reportUnknown ?? policies.reportUnknown,
  };
}
