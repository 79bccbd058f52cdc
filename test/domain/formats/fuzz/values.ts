import type { Random } from '../../../support/random.ts';

/** Values that are where they do not belong, out of range, or nearly right. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, [], {}, [[]], '', ' ', 0, -0, -1, 1.5, 2 ** 53, 2 ** 63, 1e300, -1e300, 5e-324],
  ...[
    '\0',
    '\ud800',
    '\udc00x',
    '\u009b31m',
    '\u{10ffff}',
    '😀',
    '--::',
    'null',
    'NaN',
    'Infinity',
    '0x10',
    '1e999',
  ],
  ...['E280', 'e28', 'c3:00:00:25:00:01', 'C3-00-00-25-00-01', '4oARYGAAAgpmgfI-', 'A===', '=', '*****'],
  ...[
    '17805918222810019991',
    1_780_591_822,
    1_780_591_822_281,
    1_780_591_822_281_000,
    '1780591822.281',
    -62_135_596_800,
  ],
  ...[
    '2026-02-24T10:14:42.851+0000',
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:59.999999999-23:59',
    '2026-6-8&21:43:48+00',
  ],
  ...[
    '2026-13-45T99:99:99Z',
    '0000-01-01T00:00:00Z',
    '2026-02-24T10:14:42.851',
    '-',
    '+',
    '.',
    '1.',
    '.5',
    '-54',
    '-7435',
  ],
  ...[
    '0201061AFF4C000215E2C56DB5DFFB48D2B060D0F5A71096E000010017C5',
    '0201060303AAFE1516AAFE00E700010203',
    'FF',
    '00',
  ],
  ...[
    'ble',
    'rfid',
    'barcode',
    'Gateway',
    'tagInventory',
    'BTtoMQTT',
    '$GPRP,1,2,3,4,5',
    3004,
    3070,
    'fastID',
  ],
];

const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '/',
  '~',
  '0',
  '-1',
  'length',
  'type',
  'mac',
  'epc',
  'data',
  'ts',
];

export function anyValue(random: Random): unknown {
  if (random.once(12)) {
    return random.pick(['A', '0', 'é', '\u{1f600}', ':', '\t', '"', 'F']).repeat(random.below(600));
  }
  if (random.once(20)) {
    return random.bytes(40).toString('latin1');
  }
  return random.pick(VALUES);
}

export function anyKey(random: Random): string {
  return random.pick(KEYS);
}
