import type { Load } from './load.ts';
import type { Filled } from './rows/seed.ts';

/** What `servers/*.ts` read. No key comes near these limits, and every request pays for being counted. */
export function apiEnvironment({ url, orgId }: Filled): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: url,
    ORG_ID: String(orgId),
    RATE_LIMIT_PER_MINUTE: '60000',
    RATE_LIMIT_BURST: '120000',
  };
}

/** Requests about assets all over the table, by all keys in turn. */
export function turns({ assets, keys }: Filled, pathOf: (id: number) => string): Load['requests'] {
  return Array.from({ length: 2_000 }, (_, index) => {
    // A prime step visits ids in no order that a cache or an index likes.
    const id = 1 + ((index * 7_919) % assets);
    const key = keys[index % keys.length];
    return { path: pathOf(id), ...(key === undefined ? {} : { key }) };
  });
}
