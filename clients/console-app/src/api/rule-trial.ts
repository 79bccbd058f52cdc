/** What a rule would have raised. */
export interface RuleTrial {
  since: string;
  until: string;
  looked_at: number;
  looked_at_of: number;
  is_complete: boolean;
  alert_count: number;
  subject_count: number;
  /** Those with most alerts first, a hundred at most. */
  subjects: readonly TriedSubject[];
}

export interface TriedSubject {
  asset_external_key: string | null;
  reader_id: number | null;
  reader_name: string | null;
  alert_count: number;
  longest_seconds: number;
  total_seconds: number;
}
