/** What a tag is called in messages, and told apart by within its organization (contract 2.1). */
export function tagName({ tag_type, value }: { tag_type: string; value: string }): string {
  return `${tag_type}:${value}`;
}
