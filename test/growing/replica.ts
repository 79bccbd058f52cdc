import { type Program, run } from '../support/process.ts';

/** One of several processes of a service; each start is a new process at a new address, as of a scheduler. */
export interface Replica {
  readonly url: string;
  start(): Promise<void>;
  /** Resolves with its exit status, or with the signal that ended it. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
  /** How often its present process has logged this. */
  times(text: string): number;
  /** The value of a metric without labels. */
  figure(metric: string): Promise<number>;
}

/** @param environment of the process at `path`; its port should be 0. */
export function replicaOf(path: string, environment: () => NodeJS.ProcessEnv): Replica {
  let program: Program | null = null;
  let url = '';
  return {
    get url() {
      return url;
    },
    start: async () => {
      program = run(path, [], environment());
      await program.printed('"address"');
      const [, address] = /"address":"([^"]+)"/.exec(program.stdout()) ?? [];
      url = address ?? '';
    },
    stop: async (signal) => {
      program?.child.kill(signal);
      return (await program?.ended) ?? null;
    },
    times: (text) => (program?.stdout().split(text).length ?? 1) - 1,
    figure: async (metric) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^${metric} (.+)$`, 'm').exec(text)?.[1]);
    },
  };
}
