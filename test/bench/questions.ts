import type { Question } from './latencies.ts';

export const LIST: Question = {
  name: 'List of 50 assets by external_key',
  path: () => '/api/v1/assets?limit=50',
};

export const DEEP: Question = {
  name: 'The same, from the middle of the table (offset: half of it)',
  path: (_id, { assets }) => `/api/v1/assets?limit=50&offset=${assets / 2}`,
};

/** The same number of rows at every size, and a full page, which only larger histories fill. */
export const HISTORY: Question[] = [
  { name: 'History of an asset, 5 rows', path: (id) => `/api/v1/assets/${id}/history?limit=5` },
  { name: 'History of an asset, up to 50 rows', path: (id) => `/api/v1/assets/${id}/history` },
];

export const REPORT: Question[] = [
  { name: 'Report, 50 rows', path: () => '/api/v1/reports/asset-locations' },
  { name: 'Report of one asset', path: (id) => `/api/v1/reports/asset-locations?asset_id=${id}` },
  {
    name: 'Report of one location, 50 rows',
    path: (id) => `/api/v1/reports/asset-locations?location_id=${1 + (id % 200)}`,
  },
];

/** For {@link SEARCHES}: words that one in a thousand has, and one in ten. */
export const WORDS = `update assets set name = case when id % 1000 = 7 then 'Crate ' else 'Trolley ' end || id
  where id % 1000 = 7 or id % 10 = 3`;

const search = (name: string, text: (digits: string) => string): Question => ({
  name: `Search of ${name}`,
  path: (id) => `/api/v1/assets?q=${encodeURIComponent(text(String(id).padStart(8, '0')))}`,
});

/** The digits are those of a key, a name and a tag. How many match is of 1e6 assets. */
export const SEARCHES: Question[] = [
  search('3 letters, 1,000 match', () => 'cra'),
  search('5 letters, 1,000 match', () => 'crate'),
  search('3 digits, some 5,000 match', (digits) => digits.slice(-3)),
  search('5 digits, some 30 match', (digits) => digits.slice(-5)),
  search('8 characters of a key, one matches', (digits) => `-${digits.slice(-7)}`),
  search('8 digits of a tag, one matches', (digits) => digits),
  search('3 letters, 100,000 match', () => 'tro'),
];

export const CHAIN = 15_000;

/** Each location within the one before. */
export const INTO_CHAIN = 'update locations set parent_id = id - 1 where id > 1';

export const OF_CHAIN: Question[] = [
  ['descendants of the first, 50', `/1/descendants?limit=50`],
  ['descendants of the first, 200', `/1/descendants?limit=200`],
  ['descendants of the first, the last 200', `/1/descendants?limit=200&offset=${CHAIN - 201}`],
  ['ancestors of the last, 200', `/${CHAIN}/ancestors?limit=200`],
].map(([name, path]) => ({ name: `${name}`, path: () => `/api/v1/locations${path}` }));
