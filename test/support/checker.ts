import { spawnSync } from 'node:child_process';
import { PROGRAM_ENVIRONMENT, useProgram } from './programs.ts';

/** A program of the machine that tests look at files with, such as `promtool`. */
export interface Checker {
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
  useProgram(program);
  return checker;
}

const ENVIRONMENT = { ...PROGRAM_ENVIRONMENT, LC_ALL: 'C.UTF-8' };
