import type { Given, LOCATION_COLUMNS } from '../columns.ts';
import type { TagColumns } from '../tags/new-tag.ts';

export type NewLocation = Given<typeof LOCATION_COLUMNS> & {
  external_key?: string | undefined;
  parent_id?: number | null | undefined;
  parent_external_key?: string | null | undefined;
  tags?: TagColumns | undefined;
};
