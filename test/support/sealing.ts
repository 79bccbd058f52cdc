import { Registry } from 'prom-client';
import { CHANGES_WRITTEN } from '../../domain/moves/sealing/announcements.ts';
import { CHANGES } from '../../domain/moves/sealing/queues.ts';
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
    const [moves, changes] = [new Sealer(figures, hooks), new Sealer({ ...NOTHING_SEALED }, {}, CHANGES)];
    return {
      hear: (payload, channel) => (channel === CHANGES_WRITTEN ? changes : moves).hear(payload),
      turn: async () => Math.min(await moves.turn(db), await changes.turn(db)),
    };
  };
  const job = { ...sealMoves({ log: log as never, metrics: new Registry() }), begin };
  const running = runJob(job, { url, log });
  return { figures: () => ({ ...figures }), stop: () => running.stop() };
}
