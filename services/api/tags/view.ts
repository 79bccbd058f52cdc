import type { TagRow } from '../../../domain/master-data/tags/stored-tags.ts';

export function tagView({ id, tag_type, value }: TagRow) {
  return { id, tag_type, value };
}
