/**
 * What a column of an exported report holds, as the database gives it: times as text, seconds in milliseconds, days as
 * `YYYY-MM-DD`.
 */
export type ColumnType = 'id' | 'key' | 'time' | 'seconds' | 'count' | 'flag' | 'day';

export type Cell = string | number | boolean | null;

export interface Column<Row> {
  /** As the field is called in the report. */
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

/** Which asset was where: the columns that reports on single assets begin with. */
export const ASSET_AND_PLACE: readonly Column<Stay>[] = [
  { name: 'asset_id', type: 'id', cell: (row) => row.id },
  { name: 'asset_external_key', type: 'key', cell: (row) => row.external_key },
  { name: 'asset_deleted_at', type: 'time', cell: (row) => row.deleted_at },
  { name: 'location_id', type: 'id', cell: (row) => row.location_id },
  { name: 'location_external_key', type: 'key', cell: (row) => row.location_external_key },
];
