import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import type { AssetLocationAnswer } from '../../../simulation/api-client.ts';
import { createRandom } from '../../../simulation/random.ts';
import type { Demo } from './demo.ts';
import { createLiveSite, type LiveMessage } from './live-site.ts';
import { invitation, locationsText, moveText } from './live-text.ts';
import { movesBetween } from './moves.ts';
import { play } from './play.ts';
import { makeScenario } from './scenario.ts';
import type { Screen } from './screen.ts';

export interface LiveOptions {
  /** Of what happens. */
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
  const liveSite = createLiveSite(itineraries, createRandom(seed));
  await publish(liveSite.begin(clock()));
  let before: readonly AssetLocationAnswer[] = await site.api.assetLocations();
  screen.show(locationsText(before), []);
  for (;;) {
    await setTimeout(STEP_MS, undefined, { signal });
    await publish(liveSite.step(clock()));
    const now = await site.api.assetLocations();
    screen.show(locationsText(now), movesBetween(before, now).map(moveText));
    before = now;
  }
}

/** Half of a key's rate limit, to leave room for the curl lines. */
const STEP_MS = 2_000;
