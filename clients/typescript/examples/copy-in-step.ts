/**
 * Keeps a copy of where everything is, and of how it came there, in step: in a file, which is written once a second while
 * something changes. It can be stopped and killed at any time, and goes on where it was.
 *
 *     TAGTRAIL_URL=http://127.0.0.1:8080 TAGTRAIL_KEY=tt_... COPY=copy.json \
 *       node clients/typescript/examples/copy-in-step.ts
 *
 * With UNTIL=head it ends when it has what there was at its start.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  createTagtrailClient,
  FeedExpiredError,
  isMove,
  type MoveEvent,
  rows,
  TagtrailError,
} from 'tagtrail-client';

interface Copy {
  /** The position of its last event. */
  position: number;
  assets: Record<number, Asset>;
}

interface Asset {
  external_key: string;
  /** Its location. Key and names are those of its last event; only ids are stable. */
  location_id: number | null;
  location_external_key: string | null;
  /** Its history: locations and durations by `row`. */
  history: Record<string, { at: string; location: string; seconds: number | null }>;
}

const {
  TAGTRAIL_URL: baseUrl = 'http://127.0.0.1:8080',
  TAGTRAIL_KEY: apiKey = '',
  COPY: file = 'copy.json',
  UNTIL: until = '',
} = process.env;
const client = createTagtrailClient({ baseUrl, apiKey });
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopping.abort());
}

let copy: Copy;
let saving: NodeJS.Timeout | undefined;

try {
  copy = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : await begin();
  await keepInStep().catch(async (error: unknown) => {
    // It was away for longer than events are kept.
    if (!(error instanceof FeedExpiredError)) {
      throw error;
    }
    copy = await begin();
    await keepInStep();
  });
  save();
} catch (error) {
  if (!(error instanceof TagtrailError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 1;
}

/** Reads the head of the feed first, then everything: changes in between come as events, perhaps a second time. */
async function begin(): Promise<Copy> {
  const position = await client.feedHead();
  const assets: Copy['assets'] = {};
  const all = { include_deleted: true, include_not_in_effect: true };
  for await (const row of rows((page) =>
    client.GET('/api/v1/reports/asset-locations', {
      params: { query: { ...page, ...all, sort: 'asset_external_key' } },
    }),
  )) {
    const { asset_id: id, asset_external_key: external_key, location_id, location_external_key } = row;
    assets[id] = { external_key, location_id, location_external_key, history: {} };
    // A deleted asset cannot be read.
    if (row.asset_deleted_at === null) {
      assets[id].history = await historyOf(id);
    }
  }
  return { position, assets };
}

async function historyOf(assetId: number): Promise<Asset['history']> {
  const history: Asset['history'] = {};
  for await (const row of rows((page) =>
    client.GET('/api/v1/assets/{asset_id}/history', {
      params: { path: { asset_id: assetId }, query: { ...page, sort: 'event_observed_at' } },
    }),
  )) {
    history[row.row] = stay(row);
  }
  return history;
}

async function keepInStep(): Promise<void> {
  const head = until === 'head' ? await client.feedHead() : Number.POSITIVE_INFINITY;
  const following = client.follow({
    after: copy.position,
    signal: stopping.signal,
    onWait: ({ status, milliseconds }) =>
      console.error(`${status ?? 'no answer'}: waiting ${milliseconds} ms`),
  });
  if (copy.position >= head) {
    return;
  }
  for await (const event of following) {
    if (isMove(event)) {
      apply(event);
    }
    copy.position = following.position;
    saving ??= setTimeout(save, 1000);
    if (copy.position >= head) {
      return;
    }
  }
}

/** Applies a row from now on; applying it again changes nothing. */
function apply({ data: { asset, current, added, removed, changed } }: MoveEvent): void {
  const { location_id, location_external_key } = current;
  if (location_id === null) {
    delete copy.assets[asset.id];
    return;
  }
  const history = copy.assets[asset.id]?.history ?? {};
  for (const row of removed) {
    delete history[row.row];
  }
  for (const row of [...added, ...changed]) {
    history[row.row] = stay(row);
  }
  copy.assets[asset.id] = { external_key: asset.external_key, location_id, location_external_key, history };
}

function stay(row: MoveEvent['data']['added'][number]): Asset['history'][string] {
  return { at: row.event_observed_at, location: row.location_external_key, seconds: row.duration_seconds };
}

/** In one step, so that a copy is never half of one. */
function save(): void {
  clearTimeout(saving);
  saving = undefined;
  writeFileSync(`${file}.new`, JSON.stringify(copy));
  renameSync(`${file}.new`, file);
}
