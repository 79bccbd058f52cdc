import { spawnSync } from 'node:child_process';
import { accessSync, appendFileSync, constants, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where the programs of the machine are looked for that tests need beside Node.js. Debian installs some where only
 * root's PATH leads. `.ci/nightly` sets `TEST_PATH` and `TEST_LIBRARIES` to where there are none of them.
 */
const PATH = process.env['TEST_PATH'] ?? `${process.env['PATH']}:/usr/sbin:/sbin`;
const LIBRARIES = process.env['TEST_LIBRARIES'] ?? '/usr/lib';

/** For whoever runs one. */
export const PROGRAM_ENVIRONMENT = { ...process.env, PATH };

/**
 * Skips the suite, or the tests after it, where a program is not installed; not where TEST_REQUIRE_ALL is set. What was
 * skipped, and how to install what it wants, is told at the end of the run.
 *
 * @param name a program, `faketime` for its library, or `npm sbom`.
 */
export function useProgram(...names: string[]): void {
  before(function () {
    const missing = names.filter((name) => !isThere(name));
    if (missing.length > 0) {
      if (process.env['TEST_REQUIRE_ALL'] === '1') {
        throw new Error(`${missing.join(', ')} not installed: ${REMEDY}`);
      }
      appendFileSync(join(notesFolder(), 'missing'), `${missing.join(',')}\n`);
      this.skip();
    }
  });
}

/** The library of Debian's package faketime, which tells a process another time than the machine's; undefined without. */
export function libfaketime(): string | undefined {
  return globSync(`${LIBRARIES}/*/faketime/libfaketime.so.1`)[0];
}

function isThere(name: string): boolean {
  switch (name) {
    case 'faketime':
      return libfaketime() !== undefined;
    case NPM_SBOM:
      return spawnSync('npm', ['sbom', '--help'], { encoding: 'utf8' }).stdout.includes('npm sbom');
    default:
      return PATH.split(':').some((folder) => isExecutable(join(folder, name)));
  }
}

/** A command that npm 9, which Debian 13 has, does not know. */
const NPM_SBOM = 'npm sbom';

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Begins to note what is missing: in a folder, as test files run in processes of their own. */
export function beginNotes(): void {
  process.env[NOTES] = mkdtempSync(join(tmpdir(), 'tagtrail-missing-'));
}

/** The notes of this run, for all of its processes. */
export function notesFolder(): string {
  const folder = process.env[NOTES];
  if (folder === undefined) {
    throw new Error(`${NOTES} is set by test/support/suite.ts, which .mocharc.json requires`);
  }
  return folder;
}

/** @returns what to tell of suites that were skipped; empty if none was. */
export function endNotes(): string {
  const folder = notesFolder();
  let lines: string[] = [];
  try {
    lines = readFileSync(join(folder, 'missing'), 'utf8').trimEnd().split('\n');
  } catch {
    // Nothing was missing.
  }
  rmSync(folder, { recursive: true, force: true });
  if (lines.length === 0) {
    return '';
  }
  const programs = [...new Set(lines.flatMap((line) => line.split(',')))].sort();
  return `
  Skipped, as this machine lacks ${programs.join(', ')}: ${lines.length} ${lines.length === 1 ? 'suite' : 'suites'}.
  ${REMEDY}
`;
}

const NOTES = 'TEST_NOTES';
const REMEDY =
  'To run everything: sudo .ci/packages (Debian, Ubuntu), which installs what it needs; npm sbom comes with npm 10.';
