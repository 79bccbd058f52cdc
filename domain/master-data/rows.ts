import type { ASSET_COLUMNS, LOCATION_COLUMNS, Stored } from './columns.ts';

export interface Managed {
  id: number;
  external_key: string;
  tags: string;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export type AssetRow = Managed &
  Stored<typeof ASSET_COLUMNS> & {
    location_id: number | null;
    location_external_key: string | null;
    /** JSON, as the API has it. */
    position: string | null;
  };

export type LocationRow = Managed &
  Stored<typeof LOCATION_COLUMNS> & {
    parent_id: number | null;
    parent_external_key: string | null;
  };
