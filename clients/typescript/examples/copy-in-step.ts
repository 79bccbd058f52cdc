/**
 * Keeps a copy of assets, locations and tags, of where everything is and of how it came there, in step: in a file, which
 * is written once a second while something changes. It can be stopped and killed at any time, and goes on where it was.
 *
 *     TAGTRAIL_URL=http://127.0.0.1:8080 TAGTRAIL_KEY=tt_... COPY=copy.json \
 *       node clients/typescript/examples/copy-in-step.ts
 *
 * With UNTIL=head it ends when it has what there was at its start.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  type ChangeEvent,
  type components,
  createTagtrailClient,
  type FeedEvent,
  FeedExpiredError,
  type Following,
  isMove,
  type MoveEvent,
  rowsById,
  TagtrailError,
  unwrap,
} from 'tagtrail-client';

interface Copy {
  /** The positions of the last events of both feeds. They are saved with what the events made of the rest. */
  moves: number;
  changes: number;
  /** By id, with their tags. Keys of parents are those of the parents' own rows: a rename changes only these. */
  locations: Record<number, components['schemas']['Location']>;
  assets: Record<
    number,
    Omit<components['schemas']['Asset'], 'location_id' | 'location_external_key' | 'position'>
  >;
  /** By the asset's id; apart, since either feed can be ahead of the other. Those of deleted assets stay. */
  tracks: Record<number, Track>;
  /** Assets whose histories are still to be read, where the feed does not have them whole. */
  unread: number[];
}

interface Track {
  /** Where it is. */
  location_id: number | null;
  /** Its history: locations and durations by `row`. */
  history: Record<string, { at: string; location_id: number; seconds: number | null }>;
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
  save();
  await keepInStep().catch(async (error: unknown) => {
    // It was away for longer than events are kept.
    if (!(error instanceof FeedExpiredError)) {
      throw error;
    }
    copy = await begin();
    save();
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

/** Reads where to follow from first, then everything: changes in between come as events, perhaps a second time. */
async function begin(): Promise<Copy> {
  const begun: Copy = {
    moves: await beginOfMoves(),
    changes: await client.changesHead(),
    ...{ locations: {}, assets: {}, tracks: {}, unread: [] },
  };
  const all = { include_not_in_effect: true };
  for await (const location of rowsById((page) =>
    client.GET('/api/v1/locations', { params: { query: { ...page, ...all } } }),
  )) {
    begun.locations[location.id] = location;
  }
  for await (const asset of rowsById((page) =>
    client.GET('/api/v1/assets', { params: { query: { ...page, ...all } } }),
  )) {
    const { id, location_id } = asset;
    begun.assets[id] = withoutPlace(asset);
    if (begun.moves > 0) {
      begun.tracks[id] = { location_id, history: {} };
      begun.unread.push(...(location_id === null ? [] : [id]));
    }
  }
  return begun;
}

/** 0 if the feed has every move from the first on: they make up all histories, in far fewer requests. */
async function beginOfMoves(): Promise<number> {
  const head = await client.feedHead();
  const { response } = await client.GET('/api/v1/moves', { params: { query: { after: 0, limit: 1 } } });
  return response.status === 410 ? head : 0;
}

/** A request or more for each asset: goes on after a kill where it was. */
async function readHistories(): Promise<void> {
  for (let id = copy.unread[0]; id !== undefined && !stopping.signal.aborted; id = copy.unread[0]) {
    copy.tracks[id] = { location_id: null, ...copy.tracks[id], history: await historyOf(id) };
    copy.unread.shift();
    saving ??= setTimeout(save, 1000);
  }
}

async function historyOf(assetId: number): Promise<Track['history']> {
  const history: Track['history'] = {};
  // Each page begins with the last row of the one before: corrections move rows to other offsets.
  for (let from: string | undefined; ; ) {
    const answer = await client.GET('/api/v1/assets/{asset_id}/history', {
      params: {
        path: { asset_id: assetId },
        query: { sort: 'event_observed_at', limit: 200, ...(from === undefined ? {} : { from }) },
      },
    });
    // It was deleted meanwhile.
    if (answer.response.status === 404) {
      return history;
    }
    const { data } = unwrap(answer);
    for (const row of data) {
      history[row.row] = stay(row);
    }
    if (data.length < 200) {
      return history;
    }
    from = data.at(-1)?.event_observed_at;
  }
}

async function keepInStep(): Promise<void> {
  await readHistories();
  const heads =
    until === 'head'
      ? { moves: await client.feedHead(), changes: await client.changesHead() }
      : { moves: Number.POSITIVE_INFINITY, changes: Number.POSITIVE_INFINITY };
  const failing = new AbortController();
  const options = (after: number) => ({
    after,
    signal: AbortSignal.any([stopping.signal, failing.signal]),
    onWait: ({ status, milliseconds }: { status: number | null; milliseconds: number }) =>
      console.error(`${status ?? 'no answer'}: waiting ${milliseconds} ms`),
  });
  const applyAll = async <Event>(
    feed: 'moves' | 'changes',
    following: Following<Event>,
    apply: (event: Event) => void,
  ) => {
    if (copy[feed] >= heads[feed]) {
      return;
    }
    for await (const event of following) {
      apply(event);
      copy[feed] = following.position;
      saving ??= setTimeout(save, 1000);
      if (copy[feed] >= heads[feed]) {
        return;
      }
    }
  };
  try {
    await Promise.all([
      applyAll('moves', client.follow(options(copy.moves)), applyMove),
      applyAll('changes', client.followChanges(options(copy.changes)), applyChange),
    ]);
  } finally {
    failing.abort();
  }
}

/** Takes over the row as it is now. Taking it over again changes nothing. */
function applyChange({ resource, id, asset, location }: ChangeEvent): void {
  if (resource === 'asset') {
    put(copy.assets, id, asset && withoutPlace(asset));
  } else if (resource === 'location') {
    put(copy.locations, id, location);
  }
}

function put<Row>(table: Record<number, Row>, id: number, row: Row | null): void {
  if (row === null) {
    delete table[id];
  } else {
    table[id] = row;
  }
}

/** Where it is comes by the feed of moves. */
function withoutPlace(asset: components['schemas']['Asset']): Copy['assets'][number] {
  const { location_id, location_external_key, position, ...row } = asset;
  return row;
}

/** Applies a row from now on; applying it again changes nothing. */
function applyMove(event: FeedEvent): void {
  if (!isMove(event)) {
    return;
  }
  const { asset, current, added, removed, changed } = event.data;
  const history = copy.tracks[asset.id]?.history ?? {};
  for (const row of removed) {
    delete history[row.row];
  }
  for (const row of [...added, ...changed]) {
    history[row.row] = stay(row);
  }
  copy.tracks[asset.id] = { location_id: current.location_id, history };
}

function stay(row: MoveEvent['data']['added'][number]): Track['history'][string] {
  return { at: row.event_observed_at, location_id: row.location_id, seconds: row.duration_seconds };
}

/** In one step, so that a copy is never half of one. */
function save(): void {
  clearTimeout(saving);
  saving = undefined;
  writeFileSync(`${file}.new`, JSON.stringify(copy));
  renameSync(`${file}.new`, file);
}
