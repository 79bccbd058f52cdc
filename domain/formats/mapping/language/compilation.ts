import type { Fault } from './fault.ts';
import { compileTokens, type Getter, parsePointer } from './pointer.ts';

export class Compilation {
  readonly faults: Fault[] = [];
  /** Values that what was compiled so far looks up. */
  lookUps = 0;
  #searches = 0;

  fault(pointer: string, message: string): void {
    this.faults.push({ pointer, message });
  }

  nextSearch(): number {
    return this.#searches++;
  }

  /** Compiles the walk along a JSON Pointer of the definition; `at` is its place in the definition. */
  getter(pointer: string, at: string): Getter {
    const tokens = parsePointer(pointer);
    if (tokens === undefined) {
      this.fault(at, `is not a JSON Pointer: ${JSON.stringify(pointer)}`);
    }
    return compileTokens(tokens ?? []);
  }
}
