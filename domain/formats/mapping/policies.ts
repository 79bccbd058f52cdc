import type { Identity, ReportUnknown, TimePolicy } from './language/definition.ts';

/** Settings of a format that a reader may override. */
export interface Policies {
  readonly identity: Identity;
  readonly time: TimePolicy;
  /** Null: by tag type, off for ble (strangers' adverts), on for the others. */
  readonly reportUnknown: ReportUnknown | null;
}

export const DEFAULT_POLICIES: Policies = { identity: 'mac', time: 'device', reportUnknown: null };

/** The format's policies with the reader's overrides. */
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
