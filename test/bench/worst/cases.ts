import type { Route } from '../../../platform/http/route.ts';
import { worstBodies } from '../../support/worst-bodies.ts';
import { type Ask, PART, TURN } from './attack.ts';
import type { Case } from './case.ts';
import { csv } from './files.ts';
import { NUMBERS, type Site } from './site.ts';

const LONG = 'x'.repeat(12_000);

interface Question {
  name: string;
  search?: string;
  headers?: Record<string, string>;
}

/** What can be asked of a route without a body: behind its path, and as headers. */
const QUESTIONS: readonly Question[] = [
  { name: 'as it is' },
  { name: 'the largest page', search: '?limit=200' },
  { name: 'the largest page, compressed', search: '?limit=200', headers: { 'accept-encoding': 'gzip' } },
  { name: 'a deep page', search: '?limit=200&offset=150000' },
  { name: 'a deep page by name', search: '?limit=200&offset=150000&sort=-name' },
  { name: 'a large row by its key', search: '?external_key=A-LARGE-2' },
  { name: 'a search of two letters', search: '?q=al&limit=200' },
  { name: 'a search that finds everything', search: '?q=pallet&limit=200' },
  { name: 'many parameters', search: `?${'x=1&'.repeat(3_000)}` },
  { name: 'a long parameter', search: `?q=${LONG}` },
  { name: 'a long id of a request', headers: { 'x-request-id': LONG } },
];

const NOW = Date.now();
const YEAR = `from=${daysAgo(365)}&to=${daysAgo(0)}`;

/** What of reports about the past takes longest: the other questions name no time, which they refuse. */
const OF_THE_PAST: Readonly<Record<string, readonly { name: string; search: string }[]>> = {
  '/api/v1/reports/positions-at': [{ name: 'a year ago', search: `?at=${daysAgo(365)}&limit=200` }],
  '/api/v1/reports/stays': [
    { name: 'a year, by asset', search: `?${YEAR}&limit=200&sort=asset_external_key` },
  ],
  '/api/v1/reports/dwell': [
    { name: 'a year by day', search: `?${YEAR}&group_by=day&time_zone=Europe/Berlin&limit=200` },
    { name: 'a year by asset', search: `?${YEAR}&group_by=asset&limit=200` },
    { name: 'a year by place, as known now', search: `?${YEAR}&known_at=${daysAgo(0)}&limit=200` },
  ],
  '/api/v1/reports/turns': [
    {
      name: 'a year, below the root and back',
      search: `?${YEAR}&from_location_external_key=CHAIN-1&to_location_external_key=LOC-0001&include_descendants=true`,
    },
  ],
};

export function daysAgo(days: number): string {
  return new Date(NOW - days * 86_400_000).toISOString();
}

/** The worst that may be asked of a route. */
export function casesOf<Context>(base: string, route: Route<Context>, site: Site): Case[] {
  const { method, body } = route;
  const urls = pathsOf(route.path, method, site).map((path) => base + path);
  if (body === null) {
    // What has been deleted can be asked for no more: each once.
    const questions =
      method === 'DELETE' ? QUESTIONS.slice(0, 1) : [...QUESTIONS, ...(OF_THE_PAST[route.path] ?? [])];
    return questions.map(({ name, search = '', headers = {} }: Question) => ({
      name,
      asks: urls.map((url) => ({ method, url: url + search, headers, body: null, isFresh: false })),
    }));
  }
  const post = (text: string): Ask[] =>
    urls.map((url) => ({
      method,
      url,
      headers: { 'content-type': body.type },
      body: Buffer.from(text),
      isFresh: text.includes(TURN),
    }));
  // A key that is new each time, where one is made.
  const named = (text: string) => text.replace(/"external_key":"[^"]*"/, `"external_key":"N-${TURN}"`);
  const cases = worstBodies(body.schema).map(({ name, text }) => ({ name, asks: post(named(text)) }));
  const more = MORE[`${method} ${route.path}`] ?? [];
  return [...cases, ...more.map(({ name, text }) => ({ name, asks: post(text) }))];
}

/** As many rows as a batch may have. */
const batchOf = (item: (at: number) => object) =>
  JSON.stringify({ items: Array.from({ length: 1_000 }, (_, at) => item(at)) });

const TAGS = JSON.stringify(
  Array.from({ length: 10_000 }, (_, at) => ({ tag_type: 'rfid', value: `W-${TURN}-${at}` })),
);

/** Bodies that are new each time, of routes that store them. */
const MORE: Readonly<Record<string, readonly { name: string; text: string }[]>> = {
  'POST /api/v1/assets': [
    { name: '10,000 new tags', text: `{"external_key":"T-${TURN}","name":"n","tags":${TAGS}}` },
    { name: 'a mebibyte stored', text: `{"external_key":"M-${TURN}","name":"n","metadata":${NUMBERS}}` },
  ],
  'POST /api/v1/assets/batch': [
    {
      name: 'a thousand new ones with tags',
      text: batchOf((at) => {
        const external_key = `B-${TURN}-${at}`;
        return { external_key, name: 'n', tags: [{ tag_type: 'rfid', value: external_key }] };
      }),
    },
    {
      name: 'a thousand changed each time',
      text: batchOf((at) => ({ external_key: `B-${at}`, name: 'n', description: TURN })),
    },
  ],
  'POST /api/v1/locations/batch': [
    {
      name: 'a thousand within one another',
      text: batchOf((at) => {
        const parent = at === 0 ? {} : { parent_external_key: `B-${TURN}-${at - 1}` };
        return { external_key: `B-${TURN}-${at}`, name: 'n', ...parent };
      }),
    },
  ],
  'POST /api/v1/assets/{asset_id}/rename': [
    { name: 'of a large asset', text: `{"external_key":"A-LARGE-${TURN}"}` },
  ],
  'POST /api/v1/locations': [
    { name: '10,000 new tags', text: `{"external_key":"T-${TURN}","name":"n","tags":${TAGS}}` },
  ],
  'PATCH /api/v1/assets/{asset_id}': [
    { name: 'a small change of a large asset', text: `{"description":"${TURN}"}` },
    { name: 'a mebibyte stored', text: `{"metadata":${NUMBERS.replace('1', `1${TURN}`)}}` },
  ],
};

/** Of the large assets, what comes behind is for the files. */
const KEPT = 50;

function pathsOf(path: string, method: string, { ids }: Site): string[] {
  const isDeleted = method === 'DELETE';
  const [root, last] = [ids.chain[0], ids.chain.at(-1)];
  const location = path.endsWith('/ancestors') ? last : root;
  if (path.includes('{tag_id}')) {
    const tags = path.includes('asset') ? ids.assetTags : ids.locationTags;
    return tags
      .slice(0, 200)
      .map((tag) => withIds(path, { asset_id: ids.assets[0], location_id: root, tag_id: tag }));
  }
  return isDeleted
    ? (path.includes('asset') ? ids.assets.slice(1, KEPT) : ids.leaves).map((id) =>
        withIds(path, { asset_id: id, location_id: id }),
      )
    : [withIds(path, { asset_id: ids.assets[0], location_id: location })];
}

function withIds(path: string, ids: Readonly<Record<string, number | undefined>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => `${ids[name] ?? 0}`);
}

const get = (url: string): Ask => ({ method: 'GET', url, headers: {}, body: null, isFresh: false });

/** What stops others where it is not bounded, all at once. */
export function mixOf(base: string): Case {
  const lists = [
    '/assets?q=al&limit=200',
    '/assets?q=pallet&limit=200',
    '/reports/asset-locations?limit=200',
    '/assets?limit=200&offset=199000&sort=-name',
    '/reports/asset-locations?limit=200&offset=199000',
    '/locations?q=ch&limit=200&offset=14000',
  ].map((path) => get(`${base}/api/v1${path}`));
  const files = csv('', `external_key,name\n${rows(50_000)}`);
  return {
    name: 'searches, whole reports, deep pages and imports',
    asks: [{ ...files, url: `${base}/api/v1/assets/bulk` }, ...Array(4).fill(lists).flat()],
  };
}

/** Ten at a time read a large tree. */
export function treesOf(base: string, { ids }: Site): Case[] {
  const tree = get(`${base}/api/v1/locations/${ids.chain[0]}/descendants?limit=200`);
  return [{ name: 'ten readers of a location tree', asks: [tree], connections: 10 }];
}

/** What is no request, for which nobody needs a key. */
export function strangersOf(base: string): Case[] {
  return [{ name: 'a path of 66,000 letters', asks: [get(`${base}/${'a'.repeat(66_000)}`)] }];
}

/** As many as the limit lets one key begin with, each on a connection of its own. */
const BURST = 120;

export function burstsOf(base: string): Case[] {
  const searches = ['al', 'pallet', '99', 'wooden', 'e280'].map((text) =>
    get(`${base}/api/v1/assets?q=${text}&limit=200`),
  );
  const mix = mixOf(base);
  return [
    { name: 'searches', asks: searches, connections: BURST },
    { ...mix, connections: BURST },
  ];
}

function rows(count: number): string {
  return Array.from({ length: count }, (_, at) => `I-${PART}-${at},n`).join('\n');
}

/** Requests beyond the limit, which no limit keeps from coming. */
export function floodsOf(base: string): Case[] {
  const body = Buffer.from(`{"external_key":"F","name":"n","metadata":${NUMBERS}}`);
  const headers = { 'content-type': 'application/json' };
  const create = { method: 'POST', url: `${base}/api/v1/assets`, headers, body, isFresh: false };
  return [
    { name: 'refused and sent again at once', asks: [get(`${base}/api/v1/orgs/me`)], isImpatient: true },
    { name: 'a mebibyte, refused and sent again at once', asks: [create], isImpatient: true },
  ];
}

/** A few are compared with a password, and the others refused for the limits of the account and the address. */
export function wrongSignInsTo(consoleUrl: string): Case {
  const headers = {
    ...{ origin: consoleUrl, 'x-tagtrail-console': '1', 'content-type': 'application/json' },
    cookie: `tagtrail_device=${Array(8).fill('A'.repeat(43)).join('.')}`,
  };
  const body = Buffer.from(JSON.stringify({ email: `${TURN}@example.com`, password: 'x'.repeat(1_024) }));
  const ask = { method: 'POST', url: `${consoleUrl}/console/v1/session`, headers, body, isFresh: true };
  return { name: 'wrong ones, sent again at once', asks: [ask], isImpatient: true };
}
