import type { Ask } from './attack.ts';
import { PART, TURN } from './attack.ts';
import type { Case } from './case.ts';
import { NUMBERS } from './site.ts';

const BOUNDARY = 'x';

/** An import's request, without where it goes to. */
export function csv(search: string, text: string): Ask {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`;
  return {
    method: 'POST',
    url: search,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.from(`${head}${text.slice(0, 10_480_000)}\r\n--${BOUNDARY}--\r\n`),
    isFresh: text.includes(TURN) || text.includes(PART),
  };
}

const HEADER = 'external_key,name,tags,metadata\n';
const record = (key: string) => `${key},name ${key},rfid:${key},`;
const records = (key: (at: number) => string) =>
  Array.from({ length: 50_000 }, (_, at) => record(key(at))).join('\n');
const cell = (end = '') => `"${NUMBERS.replaceAll('"', '""')}${end}"`;

/** Files as large as they may be; made when they are asked for. */
const FILES: Readonly<Record<string, () => string>> = {
  'nothing but line breaks': () => '\n'.repeat(10_400_000),
  'nothing but commas': () => ','.repeat(10_400_000),
  'a quotation mark that is never closed': () => `"${'a'.repeat(10_400_000)}`,
  'quotation marks': () => '"""",'.repeat(2_080_000),
  'cells of a mebibyte': () => Array(9).fill(`,n,,${cell()}`).join('\n'),
  'metadata against what is stored': () =>
    Array.from({ length: 9 }, (_, at) => `A-LARGE-${at + 51},,,${cell(' ')}`).join('\n'),
  '50,000 rows that are wrong': () => Array(50_000).fill('a b,,x,{').join('\n'),
  '50,000 rows': () => records((at) => `K-${at}`),
};

/** Of which the costliest are shown. */
export function dryFilesFor(base: string): Case[] {
  return Object.entries(FILES).map(([name, text]) => fileCase(base, name, text(), '?dry_run=true'));
}

export function keptFileFor(base: string): Case {
  return fileCase(
    base,
    '50,000 rows, imported',
    records((at) => `${PART}-${at}`),
    '',
  );
}

/** Changes the name of each of so many assets that are there. */
export function namesOf(base: string, keys: readonly string[]): Ask {
  const rows = keys.map((key) => `${key},${TURN} ${key}`).join('\n');
  return csv(`${base}/api/v1/assets/bulk`, `external_key,name\n${rows}`);
}

function fileCase(base: string, name: string, text: string, search: string): Case {
  const url = `${base}/api/v1/assets/bulk`;
  return { name, asks: [csv(url + search, HEADER + text)], connections: 1 };
}
