import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Connections } from '../../../simulation/connections.ts';
import type { Random } from '../../../simulation/random.ts';
import type { SiteReader } from '../../../simulation/site.ts';
import type { Period } from './itinerary.ts';
import type { Message } from './messages.ts';
import { antennaAt } from './site.ts';

/** Network events, in order. */
export type Step = Transmission | { kind: 'leaves' | 'returns'; at: Micros; reader: SiteReader };

export interface Transmission {
  kind: 'sends';
  at: Micros;
  reader: SiteReader;
  message: Message;
  isRepeat: boolean;
  /** With MQTT's DUP flag. */
  isDup: boolean;
  /** Its reader was offline when it was ready. */
  isLate: boolean;
}

export interface Outage extends Period {
  reader: SiteReader;
}

/**
 * A bad day of the network: a reader drops out, messages overtake one another by minutes, and some arrive twice, soon
 * after with the DUP flag or much later without.
 */
export function makePlan(messages: readonly Message[], period: Period, random: Random): readonly Step[] {
  const outage = makeOutage(period);
  const steps: Step[] = [
    { kind: 'leaves', at: outage.from, reader: outage.reader },
    { kind: 'returns', at: outage.to, reader: outage.reader },
  ];
  for (const message of messages) {
    const delay = random.chance(0.25) ? random.integer(60, 480) : random.integer(0, 2);
    const first = transmission(message, message.readyAt + seconds(delay), outage);
    steps.push(first);
    if (random.chance(0.07)) {
      const isDup = random.chance(0.5);
      const pause = isDup ? random.integer(1, 10) : random.integer(300, 2_400);
      const again = transmission(message, first.at + seconds(pause), outage);
      steps.push({ ...again, isRepeat: true, isDup });
    }
  }
  return steps.sort((a, b) => a.at - b.at);
}

function makeOutage({ from, to }: Period): Outage {
  const lasted = to - from;
  return { reader: antennaAt('AISLE-A').reader, from: from + lasted * 0.4, to: from + lasted * 0.75 };
}

function transmission(message: Message, at: Micros, outage: Outage): Transmission {
  const { reader } = message;
  const isOffline = reader === outage.reader && at >= outage.from && at <= outage.to;
  // Kept messages are sent as fast as possible, in their order.
  const sentAt = isOffline ? outage.to + 1 + (at - outage.from) / 100 : at;
  return { kind: 'sends', at: sentAt, reader, message, isRepeat: false, isDup: false, isLate: isOffline };
}

function seconds(count: number): Micros {
  return count * MICROS_PER_SECOND;
}

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
