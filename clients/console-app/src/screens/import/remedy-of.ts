import type { ImportFault } from '../../api/import.ts';
import { texts } from '../../texts/texts.ts';

/** What to do about a fault, where its message does not say it by itself. */
export function remedyOf({ code, column, message }: ImportFault): string | null {
  const t = texts.value.imports.remedies;
  if (column === 'tags' && message.includes('attached elsewhere')) {
    return t.tagTaken;
  }
  if (column === 'parent_external_key') {
    return t.parent;
  }
  if (column === 'metadata') {
    return t.metadata;
  }
  if (column === 'external_key' && message.includes('already')) {
    return t.keyTwice;
  }
  if (column === 'external_key') {
    return t.key;
  }
  switch (code) {
    case 'required':
      return t.required;
    case 'unknown_field':
      return t.unknownColumn;
    case 'too_long':
      return t.tooLong;
    default:
      return column.startsWith('valid_') ? t.time : null;
  }
}
