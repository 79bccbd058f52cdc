export const RULE_KINDS = ['overdue', 'dwell', 'not_allowed', 'must_be', 'reader'] as const;

export type RuleKind = (typeof RULE_KINDS)[number];

/** What people set of a rule. Null or empty is everything, or always. */
export interface RuleSettings {
  kind: RuleKind;
  name: string;
  after_seconds: number | null;
  then_seconds: number | null;
  location_external_key: string | null;
  hours: string | null;
  time_zone: string | null;
  within_location_external_key: string | null;
  metadata: readonly { path: readonly string[]; value: string }[];
  reader_ids: readonly number[] | null;
}

export interface Rule extends RuleSettings {
  /** A ULID. */
  id: string;
  /** Addresses of members. Null for who may only read. */
  mail_to: readonly string[] | null;
  mail_count: number;
  /** How many assets it lists; null where it lists none, which is all. */
  asset_count: number | null;
  valid_from: string;
  ends_at: string | null;
  /** It ended then. */
  location_deleted_at: string | null;
  created_at: string;
}

/** One rule by itself has the keys of its assets too. */
export interface WholeRule extends Rule {
  asset_external_keys: readonly string[] | null;
}
