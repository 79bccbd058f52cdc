import type { ASSET_COLUMNS, Given } from '../columns.ts';
import type { TagColumns } from '../tags/tag-columns.ts';

/** An asset to create. */
export type NewAsset = Given<typeof ASSET_COLUMNS> & {
  /** Minted if left out. */
  external_key?: string | undefined;
  tags?: TagColumns | undefined;
};
