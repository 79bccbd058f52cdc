import { Registry } from 'prom-client';
import {
  NOTHING_SEALED,
  Sealer,
  type SealingFigures,
  type SealingHooks,
} from '../../domain/moves/sealing/sealer.ts';
import { sealMoves } from '../../services/worker/jobs/seal-moves.ts';
import { runJob } from '../../services/worker/run-job.ts';

export interface Sealing {
  figures(): SealingFigures;
  stop(): Promise<void>;
}

/** Seals as the worker does, with hooks of its own. */
export function startSealing(
  url: string,
  { onBegin, onFault, ...hooks }: SealingHooks & { onBegin?(): void; onFault(error: unknown): void },
): Sealing {
  const figures = { ...NOTHING_SEALED };
  const log = {
    info: () => {},
    warn: ({ err }: { err: unknown }) => onFault(err),
    error: () => {},
  };
  const begin: Parameters<typeof runJob>[0]['begin'] = (db) => {
    onBegin?.();
    const sealer = new Sealer(figures, hooks);
    return { hear: (payload) => sealer.hear(payload), turn: () => sealer.turn(db) };
  };
  const job = { ...sealMoves({ log: log as never, metrics: new Registry() }), begin };
  const running = runJob(job, { url, log });
  return { figures: () => ({ ...figures }), stop: () => running.stop() };
}
