import { ulid } from 'ulid';
import type { JsonSchema } from '../../../services/shared/http/fields.ts';
import { worstBodies } from '../../support/worst-bodies.ts';

/** Requests that are sent in turn, under the name they have in the table. */
export interface Worst {
  name: string;
  bodies: readonly (Uint8Array | null)[];
  /** Where the media type is not that of the route alone. */
  type?: string;
  /** Behind the path. */
  search?: string;
  headers?: Record<string, string>;
}

export const NUMBERS = `{"a":[${'1,'.repeat(500_000)}1]}`;

const LONG = 'x'.repeat(12_000);

/** What can be asked of a route without a body. */
export const QUESTIONS: readonly Worst[] = [
  { name: 'as it is', bodies: [null] },
  { name: 'the largest page', bodies: [null], search: '?limit=200' },
  { name: 'many parameters', bodies: [null], search: `?${'x=1&'.repeat(3_000)}` },
  { name: 'a long parameter', bodies: [null], search: `?q=${LONG}` },
  { name: 'a long id of a request', bodies: [null], headers: { 'x-request-id': LONG } },
];

export function jsonBodies(schema: JsonSchema): Worst[] {
  return worstBodies(schema).map(({ name, text }) => ({ name, bodies: [Buffer.from(text)] }));
}

const BOUNDARY = 'x';

function csv(name: string, text: string): Worst {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`;
  const body = Buffer.from(`${head}${text.slice(0, 10_480_000)}\r\n--${BOUNDARY}--\r\n`);
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  return { name, bodies: [body], type, search: '?dry_run=true' };
}

const HEADER = 'external_key,name,tags,metadata\n';
const record = (at: number) => `K-${at},name ${at},rfid:K-${at},`;
const cell = (end = '') => `"${NUMBERS.replaceAll('"', '""')}${end}"`;

/** Files as large as they may be. */
export const FILES: readonly Worst[] = [
  csv('50,000 rows', HEADER + Array.from({ length: 50_000 }, (_, at) => record(at)).join('\n')),
  csv('nothing but line breaks', HEADER + '\n'.repeat(10_400_000)),
  csv('nothing but commas', HEADER + ','.repeat(10_400_000)),
  csv('a quotation mark that is never closed', `${HEADER}"${'a'.repeat(10_400_000)}`),
  csv('quotation marks', HEADER + '"""",'.repeat(2_080_000)),
  csv('cells of a mebibyte', HEADER + Array(9).fill(`,n,,${cell()}`).join('\n')),
  csv(
    'metadata against what is stored',
    HEADER + Array.from({ length: 9 }, (_, at) => `LARGE-${at + 1},,,${cell(' ')}`).join('\n'),
  ),
  csv('50,000 rows that are wrong', HEADER + Array(50_000).fill('a b,,x,{').join('\n')),
];

/** A hundred submissions of as many scans as there can be, none of them sent before. */
function submissions(name: string, value: (at: number) => string): Worst {
  const sentAt = new Date().toISOString();
  const bodies = Array.from({ length: 100 }, (_, submission) => {
    const scans = Array.from({ length: 1_000 }, (_, at) => ({
      tag_type: 'rfid',
      value: value(submission * 1_000 + at),
      observed_at: sentAt,
      rssi: -54,
    }));
    const body = { submission_id: ulid(), sent_at: sentAt, location: { external_key: 'L' }, scans };
    return Buffer.from(JSON.stringify(body));
  });
  return { name, bodies };
}

export const SUBMISSIONS: readonly Worst[] = [
  submissions('1,000 scans of tags', (at) => `T-${at % 10_000}`),
  submissions('1,000 scans of unknown tags of 255 characters', (at) => `${at}`.padEnd(255, 'x')),
];

/** Messages of our own format, of as many reads of unknown tags as there can be; none of them sent before. */
export function readsOfUnknownTags(): Uint8Array[] {
  return Array.from({ length: 30 }, (_, message) => {
    const reads = Array.from({ length: 9_999 }, (_, at) => ({ value: `U-${message}-${at}` }));
    return Buffer.from(JSON.stringify(reads));
  });
}
