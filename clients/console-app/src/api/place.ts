import type { Tag } from './asset.ts';

/** A location (contract 2.3), which people call a place. */
export interface Place {
  id: number;
  external_key: string;
  name: string;
  description: string | null;
  parent_id: number | null;
  parent_external_key: string | null;
  is_active: boolean;
  valid_from: string;
  valid_to: string | null;
  tags: readonly Tag[];
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}
