import { LOOK_UP, NAME } from '../values/limits.ts';
import type { Fault } from './fault.ts';
import { compileTokens, type Getter, parsePointer } from './pointer.ts';

/**
 * Steps that a format may have: names in its pointers and topics, values it compares with, look-ups and transforms. The
 * largest built-in format has 144. A step takes some 300 bytes once compiled, in every process that reads by the format.
 */
export const MOST_STEPS = 1_000;

export class Compilation {
  readonly faults: Fault[] = [];
  /** Steps compiled, at most {@link MOST_STEPS}. */
  steps = 0;
  /** The cost of looking up all values compiled so far, in characters transformed. */
  work = 0;
  /** True once the present rule uses keys. */
  usesKeys = false;
  #searches = 0;

  fault(pointer: string, message: string): void {
    this.faults.push({ pointer, message });
  }

  nextSearch(): number {
    return this.#searches++;
  }

  /** Records a value that is looked up once per item. */
  lookUp(): void {
    this.steps += 1;
    this.work += LOOK_UP;
  }

  /** The names of a JSON Pointer of the definition; `at` is its place in the definition. */
  names(pointer: string, at: string): readonly string[] {
    const names = parsePointer(pointer);
    if (names === undefined) {
      this.fault(at, `is not a JSON Pointer: ${JSON.stringify(pointer)}`);
      return [];
    }
    this.steps += names.length;
    // Beyond those names what there is comes too late to be compiled, and only costs memory.
    return this.steps > MOST_STEPS ? [] : names;
  }

  /** Compiles the walk along a JSON Pointer; `at` as there. */
  getter(pointer: string, at: string): Getter {
    const names = this.names(pointer, at);
    this.work += NAME * names.length;
    return compileTokens(names);
  }
}
