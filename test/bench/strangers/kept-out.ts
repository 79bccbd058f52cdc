import type { HostileKind } from '../../support/hostile-sockets.ts';
import { publishAnew } from '../../support/publish-anew.ts';
import { quantile } from '../../support/statistics.ts';
import { answerOf, forkFile } from '../processes.ts';
import { TAG } from '../with-readers.ts';
import type { Crowd, Crowded } from './crowd.ts';

/** Milliseconds that a reader was kept out, and what the crowd got. */
export interface KeptOut extends Crowded {
  median: number;
  longest: number;
}

/** Milliseconds that it goes on after all sockets were tried. */
const FOR_MS = 2_000;

/** A reader signs in and publishes again and again while a crowd comes, and when it is there. */
export async function keptOut(port: number, kind: HostileKind | null, sockets: number): Promise<KeptOut> {
  const crowd = forkFile('strangers/crowd.ts');
  let until = Number.POSITIVE_INFINITY;
  const message: Crowd = { port, kind, sockets };
  crowd.send(message);
  const there = answerOf(crowd).then(() => {
    until = performance.now() + FOR_MS;
  });
  const times: number[] = [];
  while (performance.now() < until) {
    times.push(await publishAnew(port, TAG));
  }
  await there;
  crowd.send('stop');
  const crowded = (await answerOf(crowd)) as Crowded;
  times.sort((a, b) => a - b);
  return { ...crowded, median: quantile(times, 0.5), longest: times.at(-1) ?? Number.NaN };
}
