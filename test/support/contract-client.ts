import { expect } from 'chai';
import { type Call, type TestApi, useApi } from './api.ts';
import type { Answer } from './declared-answer.ts';
import { aRead, record } from './recording.ts';

export const RESOURCES = ['assets', 'locations'] as const;
export type Resource = (typeof RESOURCES)[number];

/** What an asset and a location both show, and what only one of them does. */
export interface Entity {
  id: number;
  external_key: string;
  name: string;
  description: string | null;
  is_active: boolean;
  valid_from: string;
  valid_to: string | null;
  tags: { id: number; tag_type: string; value: string }[];
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
  metadata?: object;
  location_id?: number | null;
  location_external_key?: string | null;
  parent_id?: number | null;
  parent_external_key?: string | null;
}

export interface Issue {
  field: string;
  code: string;
  message?: string | RegExp;
  params?: object;
}

type Options = Omit<Partial<Call>, 'method' | 'path'>;

/** A client that knows the documents only: paths are below `/api/v1`, everything goes over HTTP. */
export interface Client {
  api: TestApi;
  get(path: string, options?: Options): Promise<Answer>;
  post(path: string, json: unknown, options?: Options): Promise<Answer>;
  patch(path: string, json: unknown, options?: Options): Promise<Answer>;
  remove(path: string, options?: Options): Promise<Answer>;
  /** Creates one and expects that to work; its name is "Any" unless it is given. */
  make(resource: Resource, json?: object, options?: Options): Promise<Entity>;
  read(resource: Resource, id: number, options?: Options): Promise<Entity>;
  /** The `external_key`s of a list, in its order. */
  keys(path: string, options?: Options): Promise<string[]>;
  scan(assetId: number, locationId: number, at: string): Promise<void>;
  /** Does the work and expects the rows of assets, locations and tags to be as they were. */
  changingNothing<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A client of an organization of its own, on the API of the suite around it or on one of its own. */
export function useClient(server: TestApi = useApi()): Client {
  const api: TestApi = Object.create(server);
  before(async () => {
    Object.assign(api, await server.organization());
  });
  api.call = (call) => server.call({ key: api.key, ...call });
  api.keyWith = (scopes, options) => server.keyWith(scopes, { orgId: api.orgId, ...options });
  const scanTags = new Map<number, string>();
  let readerId: number | undefined;
  const at = (path: string) => `/api/v1${path}`;

  const client: Client = {
    api,
    get: (path, options) => api.call({ ...options, path: at(path) }),
    post: (path, json, options) => api.call({ ...options, method: 'POST', path: at(path), json }),
    patch: (path, json, options) => api.call({ ...options, method: 'PATCH', path: at(path), json }),
    remove: (path, options) => api.call({ ...options, method: 'DELETE', path: at(path) }),

    async make(resource, json = {}, options) {
      const answer = await client.post(`/${resource}`, { name: 'Any', ...json }, options);
      expect(answer.status, answer.text).to.equal(201);
      return answer.body?.data;
    },

    async read(resource, id, options) {
      const answer = await client.get(`/${resource}/${id}`, options);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body?.data;
    },

    async keys(path, options) {
      const answer = await client.get(path, options);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body?.data.map((row: Entity) => row.external_key);
    },

    async scan(assetId, locationId, time) {
      readerId ??= await insertReader(api);
      let value = scanTags.get(assetId);
      if (value === undefined) {
        value = `scanned-${assetId}`;
        const answer = await client.post(`/assets/${assetId}/tags`, { tag_type: 'barcode', value });
        expect(answer.status, answer.text).to.equal(201);
        scanTags.set(assetId, value);
      }
      const read = { orgId: api.orgId, readerId, value, locationId, at: microsOf(time) };
      await record(api.database, [aRead({ ...read, tagType: 'barcode' })]);
    },

    async changingNothing(work) {
      const earlier = await rowsOf(api);
      const result = await work();
      expect(await rowsOf(api)).to.deep.equal(earlier);
      return result;
    },
  };
  return client;
}

/** `Date` drops what is finer than milliseconds. */
function microsOf(time: string): number {
  const finer = /\.\d{3}(\d{3})Z$/.exec(time)?.[1] ?? '0';
  return Date.parse(time) * 1000 + Number(finer);
}

async function insertReader(api: TestApi): Promise<number> {
  const readers = await api.database.rows<{ id: number }>(
    `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
     values ($1, 'gate', 'gate', 'tagtrail', 'gate-' || $1::integer, sha256('gate')) returning id`,
    [api.orgId],
  );
  return readers[0]?.id ?? 0;
}

async function rowsOf({ database }: TestApi): Promise<unknown[]> {
  const tables = ['assets', 'locations', 'tags'].map((table) =>
    database.rows(`select to_json(${table})::text as row from ${table} order by org_id, id`),
  );
  return Promise.all(tables);
}

/** Expects a `validation_error` of exactly these entries, and its detail to be made of the first one's message. */
export function expectFields(answer: Answer, issues: readonly Issue[]): void {
  const { error } = answer.body ?? {};
  expect(error, answer.text).to.include({ type: 'validation_error', status: 400 });
  const fields = error?.fields ?? [];
  expect(fields.map(({ field, code }) => [field, code])).to.deep.equal(
    issues.map(({ field, code }) => [field, code]),
  );
  issues.forEach(({ message, params }, index) => {
    if (message !== undefined) {
      expect(fields[index]?.message).to.match(typeof message === 'string' ? exactly(message) : message);
    }
    if (params !== undefined) {
      expect(fields[index]?.params).to.deep.include(params);
    }
  });
  const [first, ...others] = fields;
  expect(error?.detail.startsWith(first?.message ?? '-'), error?.detail).to.equal(true);
  const rest = error?.detail.slice(first?.message.length);
  expect(rest).to.match(
    others.length === 0 ? /^$/ : new RegExp(`^ \\(and ${others.length} more validation error\\(s\\)\\)$`),
  );
}

export function expectError(answer: Answer, status: number, type: string, detail?: string | RegExp): void {
  expect(answer.body?.error, answer.text).to.include({ type, status });
  expect(answer.status).to.equal(status);
  expect(answer.body?.error?.fields).to.equal(undefined);
  if (detail !== undefined) {
    expect(answer.body?.error?.detail).to.match(typeof detail === 'string' ? exactly(detail) : detail);
  }
}

function exactly(text: string): RegExp {
  return new RegExp(`^${RegExp.escape(text)}$`);
}

export const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const ASSET_FIELDS = [
  'id',
  'external_key',
  'name',
  'description',
  'location_id',
  'location_external_key',
  'position',
  'is_active',
  'valid_from',
  'valid_to',
  'metadata',
  'tags',
  'created_at',
  'updated_at',
  'deleted_at',
];

export const LOCATION_FIELDS = [
  'id',
  'external_key',
  'name',
  'description',
  'parent_id',
  'parent_external_key',
  'is_active',
  'valid_from',
  'valid_to',
  'gln',
  'biz_step',
  'disposition',
  'tags',
  'created_at',
  'updated_at',
  'deleted_at',
];

export const FIELDS = { assets: ASSET_FIELDS, locations: LOCATION_FIELDS };
export const SINGULAR = { assets: 'asset', locations: 'location' } as const;
export const TITLE = { assets: 'Asset', locations: 'Location' } as const;
