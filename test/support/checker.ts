import { spawnSync } from 'node:child_process';

/** A program of the machine that tests look at files with, such as `promtool`. */
export interface Checker {
  /** Runs it to its end. */
  run(args: readonly string[], options?: { cwd?: string; input?: string }): Checked;
}

export interface Checked {
  status: number | null;
  /** Standard output and standard error. */
  said: string;
}

/** Where the program is not installed, the suite is skipped; not where TEST_REQUIRE_ALL is set. */
export function useChecker(program: string): Checker {
  const checker: Checker = {
    run: (args, options = {}) => {
      const { status, stdout, stderr } = spawnSync(program, args, {
        encoding: 'utf8',
        env: ENVIRONMENT,
        ...options,
      });
      return { status, said: stdout + stderr };
    },
  };
  before(function () {
    if (spawnSync(program, ['--help'], { env: ENVIRONMENT }).error !== undefined) {
      if (process.env['TEST_REQUIRE_ALL'] === '1') {
        throw new Error(`${program} is not installed`);
      }
      this.skip();
    }
  });
  return checker;
}

/** Debian installs some where only root's PATH leads. */
const ENVIRONMENT = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, LC_ALL: 'C.UTF-8' };
