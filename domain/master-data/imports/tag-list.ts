export interface ListedTag {
  tag_type: string;
  value: string;
}

/**
 * Parses `rfid:E280...;barcode:123`. The first colon ends the type; `\;`, `\:` and `\\` stand for the character itself.
 *
 * @returns null if a tag has no type.
 */
export function parseTagList(cell: string): ListedTag[] | null {
  const tags = splitUnescaped(cell, ';')
    .filter((text) => text !== '')
    .map((text): ListedTag | null => {
      const [type = '', ...rest] = splitUnescaped(text, ':');
      return rest.length === 0 ? null : { tag_type: unescaped(type), value: unescaped(rest.join(':')) };
    });
  return tags.includes(null) ? null : (tags as ListedTag[]);
}

export function formatTagList(tags: readonly ListedTag[]): string {
  return tags.map(({ tag_type, value }) => `${tag_type}:${value.replace(/[\\;]/g, '\\$&')}`).join(';');
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') {
      at += 1;
    } else if (text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unescaped(text: string): string {
  return text.replace(/\\([\\;:])/g, '$1');
}
