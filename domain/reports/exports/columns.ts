/**
 * The content of a column in an exported report, as the database returns it: times as text, seconds in milliseconds,
 * days as `YYYY-MM-DD`.
 */
export type ColumnType = 'id' | 'key' | 'time' | 'seconds' | 'count' | 'flag' | 'day';

export type Cell = string | number | boolean | null;

export interface Column<Row> {
  /** The field's name in the report. */
  name: string;
  type: ColumnType;
  cell(row: Row): Cell;
}

interface Stay {
  id: number;
  external_key: string;
  deleted_at: string | null;
  location_id: number;
  location_external_key: string;
}

/** The asset and location columns that begin reports on single assets. */
export const ASSET_AND_PLACE: readonly Column<Stay>[] = [
  { name: 'asset_id', type: 'id', cell: (row) => row.id },
  { name: 'asset_external_key', type: 'key', cell: (row) => row.external_key },
  { name: 'asset_deleted_at', type: 'time', cell: (row) => row.deleted_at },
  { name: 'location_id', type: 'id', cell: (row) => row.location_id },
  { name: 'location_external_key', type: 'key', cell: (row) => row.location_external_key },
];
