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
