export type ImportKind = 'created' | 'updated' | 'unchanged';

export interface Import {
  id: number;
  resource: 'asset' | 'location';
  file_name: string;
  bytes: number;
  state: 'uploaded' | 'checking' | 'checked' | 'applying' | 'applied';
  done_rows: number;
  /** Null until the file was read once. */
  rows: number | null;
  created_at: string;
  checked_at: string | null;
  applied_at: string | null;
}

export interface WholeImport extends Import {
  outcome: ImportOutcome | null;
}

export interface ImportOutcome {
  rows: number;
  counts: Record<ImportKind | 'faulty', number>;
  /** The first of each. */
  shown: Record<ImportKind, readonly ImportRow[]>;
  faults: readonly ImportFault[];
  faults_left_out: number;
  /** Tags left out: the row has them in another spelling, `as`. */
  respelled?: readonly { line: number; tag: string; as: string }[];
}

export interface ImportRow {
  line: number;
  external_key: string | null;
  name: string | null;
  fields: readonly { field: string; from: unknown; to: unknown }[];
}

export interface ImportFault {
  line: number;
  column: string;
  value: string | null;
  code: string;
  message: string;
}
