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

/** A definition with its keys in that order: the database keeps them in an order of its own. */
export function inOrder(definition: unknown): object {
  return JSON.parse(JSON.stringify(definition, KEYS_AS_WRITTEN));
}
