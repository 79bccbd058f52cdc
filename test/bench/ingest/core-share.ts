import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Processes that have a share of one core together, as if they were on a machine that is so much slower: control groups of
 * Linux, by either version, which takes root. What a member starts is one, too.
 */
export class CoreShare {
  readonly #folder: string;
  #home = '/';

  /** @param share of one core. */
  constructor(name: string, share: number) {
    this.#folder = join(ROOT, `tagtrail-bench-${process.pid}-${name}`);
    mkdirSync(this.#folder);
    const quota = Math.round(share * PERIOD);
    if (IS_UNIFIED) {
      writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+cpu');
      writeFileSync(join(this.#folder, 'cpu.max'), `${quota} ${PERIOD}`);
    } else {
      writeFileSync(join(this.#folder, 'cpu.cfs_period_us'), String(PERIOD));
      writeFileSync(join(this.#folder, 'cpu.cfs_quota_us'), String(quota));
    }
  }

  hold(pids: readonly number[]): void {
    for (const pid of pids) {
      this.#home = groupOf(pid);
      move(pid, this.#folder);
    }
  }

  /** Has one of them run as before. */
  spare(pid: number): void {
    move(pid, join(ROOT, this.#home));
  }

  /** Those that still run go on as before. */
  remove(): void {
    // A server that starts others meanwhile starts them here, until it is out itself.
    for (;;) {
      for (const pid of readFileSync(join(this.#folder, MEMBERS), 'utf8').split('\n').filter(Boolean)) {
        this.spare(Number(pid));
      }
      try {
        rmdirSync(this.#folder);
        return;
      } catch (error) {
        if (!hasCode(error, 'EBUSY')) {
          throw error;
        }
      }
    }
  }
}

const V1 = '/sys/fs/cgroup/cpu';
const IS_UNIFIED = !existsSync(V1);
const ROOT = IS_UNIFIED ? '/sys/fs/cgroup' : V1;
const MEMBERS = 'cgroup.procs';

/** Microseconds. The usual 100,000 would have a process stand still for most of them with what others wait for. */
const PERIOD = 10_000;

function groupOf(pid: number): string {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n');
  const own = lines.find((line) =>
    IS_UNIFIED ? line.startsWith('0::') : /^\d+:([^:]+,)?cpu[,:]/.test(line),
  );
  return own?.split(':').slice(2).join(':') ?? '/';
}

function move(pid: number, folder: string): void {
  try {
    writeFileSync(join(folder, MEMBERS), String(pid));
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) {
      throw error;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
