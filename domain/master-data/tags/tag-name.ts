/** A tag's name in messages, by which it is unique within its organization (contract 2.1). */
export function tagName({ tag_type, value }: { tag_type: string; value: string }): string {
  return `${tag_type}:${value}`;
}
