import { setTimeout } from 'node:timers/promises';
import { append } from '../base/append.ts';
import type { FeedEvent, FeedPage } from './feed-event.ts';
import type { State } from './truth/presence-document.ts';

/** A client of the API that knows its description and nothing else. */
export interface ApiClient {
  createLocation(location: NewLocation): Promise<void>;
  createAsset(asset: NewAsset): Promise<void>;
  assets(): Promise<AssetAnswer[]>;
  assetLocations(): Promise<AssetLocationAnswer[]>;
  /** Oldest first. */
  history(assetId: number): Promise<HistoryAnswer[]>;
  /** The report of presence. @param at milliseconds since 1970. */
  presence(at: number): Promise<PresenceRowAnswer[]>;
  /** Alerts of rules, by their ids. */
  alerts(rules: readonly string[]): Promise<AlertRowAnswer[]>;
  /** The events after a position of the feed; null if they are gone. */
  moves(after: number): Promise<FeedPage | null>;
}

export interface NewLocation {
  external_key: string;
  name: string;
  parent_external_key?: string;
}

export interface NewAsset {
  external_key: string;
  name: string;
  tags: { tag_type: 'rfid' | 'ble'; value: string }[];
}

export interface AssetAnswer {
  id: number;
  external_key: string;
}

export interface AssetLocationAnswer {
  asset_external_key: string;
  location_external_key: string | null;
  asset_last_seen: string;
}

export interface HistoryAnswer {
  event_observed_at: string;
  location_external_key: string;
  duration_seconds: number | null;
}

export interface PresenceRowAnswer {
  asset_external_key: string;
  state: State;
  state_since: string | null;
  because: { reader_name?: string } | null;
}

export interface AlertRowAnswer {
  rule: { id: string };
  asset: { external_key: string } | null;
  reader: { name: string } | null;
  state: 'open' | 'acknowledged' | 'closed' | 'withdrawn';
  opened_at: string;
  recorded_at: string;
  closed_at: string | null;
  because: { state?: string } | null;
}

/** An answer outside of 2xx, or none at all. */
export class ApiError extends Error {
  /** Null if there was none. */
  readonly status: number | null;

  constructor(
    message: string,
    { status = null, ...options }: ErrorOptions & { status?: number | null } = {},
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** Every method throws {@link ApiError}, and waits when it is told to come again. */
export function createApiClient(url: string, key: string): ApiClient {
  const request = async (method: string, path: string, json?: unknown): Promise<unknown> => {
    const body = json === undefined ? null : JSON.stringify(json);
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    };
    const response = await untilServed(async () => {
      try {
        return await fetch(`${url}${path}`, { method, headers, body });
      } catch (error) {
        throw new ApiError(`${method} ${path}: the API does not answer`, { cause: error });
      }
    });
    const text = await response.text();
    if (!response.ok) {
      throw new ApiError(`${method} ${path}: ${response.status} ${text}`, { status: response.status });
    }
    return JSON.parse(text);
  };
  const list = async <Row>(path: string, sort: string, further = ''): Promise<Row[]> => {
    const rows: Row[] = [];
    for (;;) {
      const page = `?limit=${PAGE}&offset=${rows.length}&sort=${sort}${further}`;
      const { data, total_count } = (await request('GET', `${path}${page}`)) as ListAnswer<Row>;
      append(rows, data);
      if (rows.length >= total_count || data.length === 0) {
        return rows;
      }
    }
  };
  return {
    createLocation: async (location) => void (await request('POST', '/api/v1/locations', location)),
    createAsset: async (asset) => void (await request('POST', '/api/v1/assets', asset)),
    assets: () => list('/api/v1/assets', 'external_key'),
    assetLocations: () => list('/api/v1/reports/asset-locations', 'asset_external_key'),
    presence: (at) =>
      list('/api/v1/reports/presence', 'asset_external_key', `&at=${new Date(at).toISOString()}`),
    alerts: (rules) => list('/api/v1/alerts', 'opened_at', rules.map((rule) => `&rule_id=${rule}`).join('')),
    history: (assetId) => list(`/api/v1/assets/${assetId}/history`, 'event_observed_at'),
    moves: async (after) => {
      try {
        const { data } = (await request('GET', `/api/v1/moves?after=${after}&limit=${PAGE}`)) as MovesAnswer;
        return { events: data.moves, head: data.head };
      } catch (error) {
        if (error instanceof ApiError && error.status === GONE) {
          return null;
        }
        throw error;
      }
    },
  };
}

interface MovesAnswer {
  data: { moves: FeedEvent[]; head: number };
}

/** The events after the position are gone. */
const GONE = 410;

interface ListAnswer<Row> {
  data: Row[];
  total_count: number;
}

/** How often it asks again where the API is not available. */
const MOST_AGAIN = 30;

/** Asks again when the answer allows it. */
async function untilServed(ask: () => Promise<Response>): Promise<Response> {
  for (let unavailable = 0; ; ) {
    const response = await ask();
    unavailable += response.status === 503 ? 1 : 0;
    if (response.status !== 429 && (response.status !== 503 || unavailable > MOST_AGAIN)) {
      return response;
    }
    await response.text();
    await setTimeout(1_000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

const PAGE = 200;
