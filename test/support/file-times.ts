import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { performance } from 'node:perf_hooks';

/** Where to write how long each test file takes; nowhere unless set. */
const { TEST_TIMES } = process.env;
let began = 0;
let busy = 0;

/**
 * Appends a line for a test file that ends: seconds with loading, seconds of processor of its own process and of those that
 * it started and that ended, and its path.
 */
export function noteTimes(root: Mocha.Suite | undefined): void {
  const path = root?.suites[0]?.file;
  if (TEST_TIMES === undefined || path === undefined) {
    return;
  }
  const [now, busyNow] = [performance.now() / 1_000, processorSeconds()];
  const columns = [now - began, busyNow - busy].map((each) => each.toFixed(1).padStart(7)).join('');
  appendFileSync(TEST_TIMES, `${columns}  ${relative(process.cwd(), path)}\n`);
  [began, busy] = [now, busyNow];
}

/** Linux counts hundredths of seconds: in user mode and in the kernel, then the same of children that ended. */
function processorSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, each) => sum + Number(each) / 100, 0);
}
