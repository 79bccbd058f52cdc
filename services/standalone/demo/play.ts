import type { Connections } from '../../../simulation/connections.ts';
import type { Step } from './network.ts';

/**
 * Plays a plan as fast as possible: steps begin in order, several transmissions overlap. Resolves when the broker has
 * acknowledged everything.
 *
 * @throws the client's error.
 */
export async function play(plan: readonly Step[], connections: Connections): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  for (const step of plan) {
    if (step.kind === 'sends') {
      if (underWay.size >= MOST_UNDER_WAY) {
        await Promise.race(underWay);
      }
      const { message, isDup } = step;
      // One that failed stays, so that its failure is met at the next wait.
      const sent: Promise<unknown> = connections
        .publish(step.reader.name, message.payload, { isDup })
        .then(() => underWay.delete(sent));
      underWay.add(sent);
    } else {
      await Promise.all(underWay);
      await connections[step.kind === 'leaves' ? 'disconnect' : 'reconnect'](step.reader.name);
    }
  }
  await Promise.all(underWay);
}

const MOST_UNDER_WAY = 16;
