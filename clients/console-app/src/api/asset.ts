/** Contract 2.2. */
export interface Asset {
  id: number;
  external_key: string;
  name: string;
  description: string | null;
  location_id: number | null;
  location_external_key: string | null;
  is_active: boolean;
  valid_from: string;
  valid_to: string | null;
  metadata: Record<string, unknown>;
  tags: readonly Tag[];
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export interface Tag {
  id: number;
  tag_type: TagType;
  value: string;
}

export const TAG_TYPES = ['rfid', 'ble', 'barcode'] as const;

export type TagType = (typeof TAG_TYPES)[number];
