import type { TagType } from '../../tracking/tag-type.ts';

export interface TagRow {
  id: number;
  tag_type: TagType;
  value: string;
}

export function storedTags(json: string): TagRow[] {
  return JSON.parse(json);
}
