import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import type { AssetLocationAnswer } from '../../../simulation/api-client.ts';
import type { Random } from '../../../simulation/random.ts';
import type { Demo } from './demo.ts';
import { createLiveSite, type LiveMessage } from './live-site.ts';
import { invitation, moveText, placesText } from './live-text.ts';
import { movesBetween } from './moves.ts';
import type { Screen } from './screen.ts';

export interface LiveOptions {
  random: Random;
  clock: Clock;
  screen: Screen;
  signal: AbortSignal;
}

/**
 * Moves assets in real time and shows what the API says, until the signal.
 *
 * @throws AbortError at the signal, ApiError if the API fails.
 */
export async function runLive(
  { site, connections, ...demo }: Demo,
  { random, clock, screen, signal }: LiveOptions,
): Promise<never> {
  const publish = (messages: readonly LiveMessage[]) =>
    Promise.all(messages.map(({ reader, payload }) => connections.publish(reader.name, payload)));
  const [asset] = await site.api.assets();
  if (asset === undefined) {
    throw new RangeError('no assets');
  }
  invitation({ site, connections, ...demo }, asset).forEach(demo.print);

  const liveSite = createLiveSite(random);
  await publish(liveSite.begin(clock()));
  let before: readonly AssetLocationAnswer[] = await site.api.assetLocations();
  screen.show(placesText(before), []);
  for (;;) {
    await setTimeout(STEP_MS, undefined, { signal });
    await publish(liveSite.step(clock()));
    const now = await site.api.assetLocations();
    screen.show(placesText(now), movesBetween(before, now).map(moveText));
    before = now;
  }
}

/** Half of a key's rate limit, to leave room for the curl lines. */
const STEP_MS = 2_000;
