import { setFlagsFromString } from 'node:v8';

let underWay = 0;

/**
 * Keeps the part of the heap where values begin as small as it is while `work` runs. It doubles otherwise, again and
 * again, for rows that are forgotten as soon as they are written. With this and
 * packed rows, updating 50,000 assets over HTTP took at most 248 MiB of the process where it had taken 329; one run each.
 */
export async function withLeanHeap<Result>(work: () => Promise<Result>): Promise<Result> {
  underWay += 1;
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await work();
  } finally {
    underWay -= 1;
    if (underWay === 0) {
      setFlagsFromString('--semi-space-growth-factor=2');
    }
  }
}
