import type { TagType } from '../../../domain/tracking/tag-type.ts';

export interface TagRow {
  id: number;
  tag_type: TagType;
  value: string;
}

export function tagView({ id, tag_type, value }: TagRow) {
  return { id, tag_type, value };
}

/** Tags as a query aggregates them: the text of a JSON array of rows. */
export function tagViews(json: string) {
  return (JSON.parse(json) as TagRow[]).map(tagView);
}
