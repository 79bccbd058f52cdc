import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { table } from '../../../base/table.ts';
import { linkAddress } from '../../../domain/administration/users/links/make-link.ts';
import type { AssetLocationAnswer } from '../../../simulation/api-client.ts';
import type { TagRead } from '../../../simulation/encoders/encoder.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import { HallLife } from '../../../simulation/hall.ts';
import { nextStop } from '../../../simulation/movement.ts';
import { createRandom, type Random } from '../../../simulation/random.ts';
import type { SiteLocation, SiteReader } from '../../../simulation/site.ts';
import { ASSETS, type SiteAsset } from './assets.ts';
import type { Demo } from './demo.ts';
import { CARTS, HALL } from './hall.ts';
import type { Itinerary } from './itinerary.ts';
import { play } from './network.ts';
import { makeScenario } from './scenario.ts';
import type { Screen } from './screen.ts';
import { antennaAt, ROOMS, STOPS } from './site.ts';

export interface LiveMessage {
  reader: SiteReader;
  payload: string;
}

/** At this step an asset comes to the cold room; then somebody takes it out past all readers. */
const THEFT = { asset: 'CAGE-08', from: 'COLD-ROOM', at: 15 };

/** At this step the reader of two aisles dies. */
const DEATH = { reader: antennaAt('AISLE-A').reader, at: 45 };

interface LiveSite {
  /** A reader that has died: it sends nothing any more. */
  readonly dead: SiteReader | null;
  /** Every moving asset is read where it is. */
  begin(now: Micros): LiveMessage[];
  step(now: Micros): LiveMessage[];
}

interface ShownMove {
  asset: string;
  /** Null if it was not seen before. */
  from: string | null;
  to: string;
  /** RFC 3339. */
  at: string;
}

export interface LiveOptions {
  /** For events. */
  seed: number;
  clock: Clock;
  screen: Screen;
  signal: AbortSignal;
}

/**
 * Plays the two hours before now, so that there is a past to look at; then moves assets in real time, from where they are,
 * and shows what the API says, until the signal.
 *
 * @throws AbortError at the signal, ApiError if the API fails.
 */
export async function runLive(
  { site, connections, ...demo }: Demo,
  { seed, clock, screen, signal }: LiveOptions,
): Promise<never> {
  const publish = (messages: readonly LiveMessage[]) =>
    Promise.all(messages.map(({ reader, payload }) => connections.publish(reader.name, payload)));
  const [asset] = await site.api.assets();
  if (asset === undefined) {
    throw new RangeError('no assets');
  }
  invitation({ site, connections, ...demo }, asset).forEach(demo.print);

  const { itineraries, plan } = makeScenario(seed, clock());
  await play(plan, connections);
  const liveSite = createLiveSite(itineraries, createRandom(seed), clock());
  await publish(liveSite.begin(clock()));
  let before: readonly AssetLocationAnswer[] = await site.api.assetLocations();
  screen.show(locationsText(before), []);
  let hasDied = false;
  for (;;) {
    await setTimeout(STEP_MS, undefined, { signal });
    await publish(liveSite.step(clock()));
    if (liveSite.dead !== null && !hasDied) {
      hasDied = true;
      await connections.disconnect(liveSite.dead.name);
    }
    const now = await site.api.assetLocations();
    screen.show(locationsText(now), movesBetween(before, now).map(moveText));
    before = now;
  }
}

/** Half of a key's rate limit, to leave room for the curl lines. */
const STEP_MS = 2_000;

function invitation(
  { standalone: { apiUrl, mqttUrl, consoleUrl }, site: { apiKey, signInToken, readers } }: Demo,
  asset: { id: number; external_key: string },
): string[] {
  const curl = (path: string) =>
    `  echo 'Authorization: Bearer ${apiKey}' | curl -H @- '${apiUrl}/api/v1${path}'`;
  return [
    'See it in the console: open this link, which is good once and for an hour, and click “Go in”:',
    `  ${linkAddress(consoleUrl, signInToken)}`,
    '',
    `A warehouse with ${readers.length} readers publishing to ${mqttUrl}. Ctrl-C ends it and throws everything away.`,
    '',
    'Where everything is, newest first:',
    curl('/reports/asset-locations?limit=200'),
    `Where ${asset.external_key} has been:`,
    curl(`/assets/${asset.id}/history`),
    'What is at dock door 1:',
    curl('/assets?location_external_key=DOCK-1'),
    '',
  ];
}

function locationsText(report: readonly AssetLocationAnswer[]): string[] {
  const bays = HALL.locations.slice(1);
  const rows = [...STOPS, ...bays].map(({ key, name }) => {
    const here = report.filter((row) => row.location_external_key === key);
    const assets = here.map((row) => row.asset_external_key).sort();
    return [key, name, String(assets.length), assets.join(' ')];
  });
  return table(['location', 'name', 'assets', ''], rows);
}

function moveText({ asset, from, to, at }: ShownMove): string {
  const way = from === null ? `is at ${to}` : `${from} -> ${to}`;
  return `${at.slice(11, 19)}  ${asset.padEnd(11)}  ${way}`;
}

export function movesBetween(
  before: readonly AssetLocationAnswer[],
  after: readonly AssetLocationAnswer[],
): ShownMove[] {
  const locations = new Map(before.map((row) => [row.asset_external_key, row.location_external_key]));
  return after
    .flatMap((row): ShownMove[] => {
      const from = locations.get(row.asset_external_key) ?? null;
      const to = row.location_external_key;
      return to === null || to === from
        ? []
        : [{ asset: row.asset_external_key, from, to, at: row.asset_last_seen }];
    })
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** Goes on where assets were last; carts are heard in the hall since half a minute. */
export function createLiveSite(past: readonly Itinerary[], random: Random, now: Micros): LiveSite {
  const hall = new HallLife(HALL, CARTS, now - 30 * MICROS_PER_SECOND, random);
  const locations = lastStopsOf(past);
  const encode = encoding();
  let steps = 0;
  const isDead = (reader: SiteReader) => steps >= DEATH.at && reader === DEATH.reader;

  const move = (asset: SiteAsset) => {
    locations.set(asset, nextStop(asset.kind, locations.get(asset) ?? null, STOPS, random));
  };

  const report = (assets: Iterable<SiteAsset>, now: Micros): LiveMessage[] => {
    const seen = new Map<SiteReader, TagRead[]>();
    for (const asset of assets) {
      const location = locations.get(asset);
      const antenna = location === undefined ? null : antennaAt(location.key);
      if (antenna !== null && !isDead(antenna.reader)) {
        const { reader, port } = antenna;
        const read = { value: asset.epc, port, rssi: random.integer(-72, -41), at: now };
        seen.set(reader, [...(seen.get(reader) ?? []), read]);
      }
    }
    return [...seen].flatMap(([reader, reads]) => encode(reader, reads));
  };

  const hear = (until: Micros): LiveMessage[] =>
    [...Map.groupBy(hall.reads(until), ({ reader }) => reader)].flatMap(([reader, reads]) =>
      encode(
        reader,
        reads.map(({ asset, at, rssi }) => ({ value: asset.tags.ble, port: 1, rssi, at })),
      ),
    );

  const movable = ASSETS.filter(({ kind }) => kind !== 'in repair');
  return {
    get dead() {
      return steps >= DEATH.at ? DEATH.reader : null;
    },
    begin: (now) => {
      movable.filter((asset) => !locations.has(asset)).forEach(move);
      return [...report(movable, now), ...hear(now)];
    },
    step: (now) => {
      steps += 1;
      const present = movable.filter(({ key }) => steps <= THEFT.at || key !== THEFT.asset);
      const movers = [random.pick(present), ...(random.chance(0.4) ? [random.pick(present)] : [])];
      movers.forEach(move);
      if (steps === THEFT.at) {
        const taken = present.find(({ key }) => key === THEFT.asset) as SiteAsset;
        locations.set(taken, STOPS.find(({ key }) => key === THEFT.from) as SiteLocation);
      }
      const bystanders = Array.from({ length: 3 }, () => random.pick(present));
      const inRooms = present.filter((asset) => ROOMS.includes(locations.get(asset)?.key ?? ''));
      return [...report(new Set([...movers, ...bystanders, ...inRooms]), now), ...hear(now)];
    },
  };
}

function lastStopsOf(past: readonly Itinerary[]): Map<SiteAsset, SiteLocation> {
  const locations = new Map<SiteAsset, SiteLocation>();
  for (const { asset, visits } of past) {
    const known = ASSETS.find(({ key }) => key === asset);
    const location = STOPS.find(({ key }) => key === visits.at(-1)?.location);
    if (known !== undefined && location !== undefined) {
      locations.set(known, location);
    }
  }
  return locations;
}

/** @returns the messages of a reader about reads, numbered on from its last one. */
function encoding(): (reader: SiteReader, reads: readonly TagRead[]) => LiveMessage[] {
  const sequences = new Map<SiteReader, number>();
  return (reader, reads) => {
    const encoder = ENCODERS[reader.format];
    return inGroupsOf(encoder.maxReadsPerMessage, reads).map((group) => {
      const sequence = sequences.get(reader) ?? 0;
      sequences.set(reader, sequence + 1);
      return { reader, payload: encoder.encode(reader, group, sequence).payload };
    });
  };
}

function inGroupsOf<Item>(size: number, items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
