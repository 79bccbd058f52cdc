import type { ASSET_COLUMNS, Given } from '../columns.ts';
import type { TagColumns } from '../tags/new-tag.ts';

export type NewAsset = Given<typeof ASSET_COLUMNS> & {
  external_key?: string | undefined;
  tags?: TagColumns | undefined;
};
