import { type DryRun, dryRun } from './dry-run.ts';
import { type PlacedFault, readSource } from './read-source.ts';

export interface Trying {
  source: string;
  topic: string;
  payload: Uint8Array;
}

export interface Tried {
  faults: PlacedFault[];
  /** Null of a format with faults. */
  run: DryRun | null;
}

/** The result of an unfinished format for a message. For a worker thread: either may be long. */
export function trySource({ source, topic, payload }: Trying): Tried {
  const format = readSource(source);
  return Array.isArray(format)
    ? { faults: format, run: null }
    : { faults: [], run: dryRun(format, { topic, payload: Buffer.from(payload) }) };
}
