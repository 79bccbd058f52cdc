interface Tag {
  tag_type: string;
  value: string;
}

/** A value as a cell of the file has it. */
export function valueText(value: unknown): string {
  if (value === null || value === '') {
    return '–';
  }
  if (Array.isArray(value)) {
    const tags = (value as readonly Tag[]).map(({ tag_type, value: text }) => `${tag_type}:${text}`);
    return tags.length === 0 ? '–' : tags.join('; ');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
