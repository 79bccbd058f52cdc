import type { Micros } from '../../../base/instant.ts';
import type { Step, Transmission } from './network.ts';

export interface PlanFigures {
  messages: number;
  /** Reads of registered tags at mounted antennas, each counted once. */
  reads: number;
  /** Of these, sent only after their reader was back. */
  late: number;
  /** Of these, sent twice. */
  twice: number;
  /** Of these, sent after a newer read of the same asset. */
  outOfOrder: number;
  strangers: number;
  unmounted: number;
  heartbeats: number;
  garbage: number;
}

export function figuresOf(plan: readonly Step[]): PlanFigures {
  const sent = plan.filter((step): step is Transmission => step.kind === 'sends');
  const first = sent.filter(({ isRepeat }) => !isRepeat);
  const countReads = (transmissions: readonly Transmission[]) =>
    transmissions.flatMap(({ message }) => message.reads).filter(isPlaced).length;
  const reads = first.flatMap(({ message }) => message.reads);
  return {
    messages: sent.length,
    reads: countReads(first),
    late: countReads(first.filter(({ isLate }) => isLate)),
    twice: countReads(sent.filter(({ isRepeat }) => isRepeat)),
    outOfOrder: countOvertaken(first),
    strangers: reads.filter(({ asset }) => asset === null).length,
    unmounted: reads.filter((read) => read.asset !== null && !isPlaced(read)).length,
    heartbeats: first.filter(({ message }) => message.kind === 'heartbeat').length,
    garbage: first.filter(({ message }) => message.kind === 'garbage').length,
  };
}

type PlannedRead = Transmission['message']['reads'][number];

function isPlaced({ asset, reader, port }: PlannedRead): boolean {
  return asset !== null && reader.antennas[port - 1] != null;
}

function countOvertaken(transmissions: readonly Transmission[]): number {
  const youngest = new Map<string | null, Micros>();
  let overtaken = 0;
  for (const { asset, at } of transmissions.flatMap(({ message }) => message.reads.filter(isPlaced))) {
    const before = youngest.get(asset) ?? 0;
    overtaken += Number(at < before);
    youngest.set(asset, Math.max(before, at));
  }
  return overtaken;
}
