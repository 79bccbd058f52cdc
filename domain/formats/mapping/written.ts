/** All keys of the language, in the order in which people write them. */
export const KEYS_AS_WRITTEN = [
  ...['name', 'description', 'decode', 'ignore', 'topics', 'texts', 'rules'],
  ...['each', 'split', 'only', 'warn', 'fields'],
  ...['tag_type', 'value', 'antenna', 'rssi', 'observed_at', 'reader', 'policies'],
  ...['identity', 'time', 'report_unknown', 'element', 'item', 'parent', 'root', 'topic', 'const'],
  ...['exists', 'in', 'not', 'join', 'with', 'where', 'take', 'if', 'transform'],
  ...[
    'scale',
    'substring',
    'decimal-to-hex',
    'hex-to-decimal',
    'epoch',
    'rfc3339',
    'date',
    'pattern',
    'zone',
  ],
];

/** A definition with its keys in that order, others behind: the database keeps them in an order of its own. */
export function inOrder(definition: unknown): unknown {
  if (Array.isArray(definition)) {
    return definition.map(inOrder);
  }
  if (typeof definition !== 'object' || definition === null) {
    return definition;
  }
  const members = Object.entries(definition).sort(([a], [b]) => rankOf(a) - rankOf(b));
  return Object.fromEntries(members.map(([key, value]) => [key, inOrder(value)]));
}

function rankOf(key: string): number {
  const rank = KEYS_AS_WRITTEN.indexOf(key);
  return rank === -1 ? KEYS_AS_WRITTEN.length : rank;
}
