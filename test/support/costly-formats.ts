import type { Format } from '../../domain/formats/mapping/format.ts';
import { formatOf } from './mapping.ts';

export function often<Value>(times: number, value: Value): Value[] {
  return Array.from({ length: times }, () => value);
}

const rfid = { tag_type: [{ const: 'rfid' }] };
const condition = { item: '', exists: true };
const elements = `{"a":[${'1,'.repeat(16_000)}1]}`;
const digits = `{"t":"${'7'.repeat(4_000)}","a":[${'1,'.repeat(4_999)}1]}`;

/** Each spends what a format may have on one kind of work, with the payload of 32 KiB that makes most of it. */
export const COSTLY_FORMATS: readonly [what: string, format: Format, payload: string][] = [
  [
    'searches of arrays',
    formatOf({
      fields: {
        value: often(20, { root: '/a', where: often(10, { element: '', not: [1] }), take: '' }),
        ...rfid,
      },
    }),
    elements,
  ],
  [
    'places where items may be',
    formatOf({ each: often(4, `/*${'/a'.repeat(200)}/*`) }),
    `[${'1,'.repeat(16_000)}1]`,
  ],
  [
    'conditions of documents without items',
    formatOf(
      {
        each: '/a/*',
        only: [...often(19, { root: '', exists: true }), { root: '', exists: false }],
        warn: often(20, { item: '', exists: false }),
      },
      { decode: 'json-stream' },
    ),
    '[]'.repeat(9_999),
  ],
  [
    'warnings of items that are ignored',
    formatOf({
      each: '/*',
      only: [...often(19, condition), { item: '', exists: false }],
      warn: often(20, { item: '', exists: false }),
    }),
    `[${'1,'.repeat(9_998)}1]`,
  ],
  [
    'joined texts',
    formatOf({
      each: '/a/*',
      fields: { value: often(20, { join: often(10, { root: '/t' }) }), ...rfid },
    }),
    digits,
  ],
  [
    'digits of numbers',
    formatOf({
      each: '/a/*',
      fields: {
        value: [{ const: 'x' }],
        rssi: often(20, { root: '/t' }),
        antenna: often(20, { root: '/t' }),
        ...rfid,
      },
    }),
    digits,
  ],
  [
    'reasons of rejections',
    formatOf({
      each: '/*',
      fields: { value: often(20, { item: `/${'n'.repeat(480)}` }), ...rfid },
    }),
    `[${'1,'.repeat(9_998)}1]`,
  ],
  [
    'times in a zone',
    formatOf({
      each: '/a/*',
      fields: {
        value: [{ const: 'x' }],
        observed_at: often(20, {
          const: '2026-05-01 10:00:00',
          transform: [{ rfc3339: { zone: 'Europe/Berlin' } }],
        }),
        ...rfid,
      },
    }),
    digits,
  ],
];
