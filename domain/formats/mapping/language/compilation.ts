import type { Fault } from './fault.ts';
import { compileTokens, type Getter, parsePointer } from './pointer.ts';

/** State of a compilation: the faults so far, and a counter of array searches. */
export class Compilation {
  readonly faults: Fault[] = [];
  #searches = 0;

  fault(pointer: string, message: string): void {
    this.faults.push({ pointer, message });
  }

  nextSearch(): number {
    return this.#searches++;
  }

  /** The walk along a JSON Pointer of the definition; `at` is where the definition says it. */
  getter(pointer: string, at: string): Getter {
    const tokens = parsePointer(pointer);
    if (tokens === undefined) {
      this.fault(at, `is not a JSON Pointer: ${JSON.stringify(pointer)}`);
    }
    return compileTokens(tokens ?? []);
  }
}
