export type Fields = Readonly<Record<string, unknown>>;

export interface Change {
  id: number;
  at: string;
  actor: { type: string; id: string; name: string | null };
  action: string;
  resource: { type: string; id: number | string; external_key: string | null; name: string | null };
  /** Fields that changed, as they were; null before a create. */
  before: Fields | null;
  after: Fields | null;
  request_id: string | null;
}

export interface ChangePage {
  data: readonly Change[];
  /** Cursor of the page behind, which is older; null if there is none. */
  next: string | null;
}
