import type { QueueView } from '../queue/queue.ts';
import { texts } from '../texts/texts.ts';

/** Unsent work: `2 scans and 1 sweep`. */
export function waitingIn({ waiting, waitingSweeps, waitingUndos }: QueueView): string {
  const { counts } = texts.value;
  const sweeps = waitingSweeps.value;
  const undos = waitingUndos.value;
  const scans = waiting.value - sweeps - undos;
  const words = [
    scans > 0 && counts.scans(scans),
    sweeps > 0 && counts.sweeps(sweeps),
    undos > 0 && counts.corrections(undos),
  ];
  return counts.joined(words.filter((word) => word !== false));
}
