import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import { table } from '../../../base/table.ts';
import { linkAddress } from '../../../domain/administration/users/links/make-link.ts';
import type { AssetLocationAnswer } from '../../../simulation/api-client.ts';
import { createRandom } from '../../../simulation/random.ts';
import type { Demo } from './demo.ts';
import { HALL } from './hall.ts';
import { createLiveSite, type LiveMessage } from './live-site.ts';
import { play } from './network.ts';
import { makeScenario } from './scenario.ts';
import type { Screen } from './screen.ts';
import { STOPS } from './site.ts';

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
