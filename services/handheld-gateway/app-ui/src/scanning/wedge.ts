import { isBegunByMachine, isSteady, LONGEST_LIMIT_MS, rhythmOf } from './rhythm.ts';

/**
 * Tells a scanner that types (a keyboard wedge) from a person who types: it is far faster, and ends with Enter or Tab.
 *
 * What follows recent characters is never a scan of its own. Scanners pause, Bluetooth's above all, and what comes after
 * the pause is the tail of a value that may be another asset's tag: then the scan is broken, and has to be made again.
 * The same goes for what began while the page could not hear it, and for scans with keys in them that are no characters
 * (scanners type separators as Ctrl+], F8 and the like).
 */
export const RECENT_MS = 1_500;
/** As long as a tag value may be (interface section 2.4), and a token. What is longer is noise. */
const MOST_CHARACTERS = 255;

/** Why no value can be made of a scan. */
export type WhyBroken = 'pause' | 'keys' | 'unended' | 'interrupted' | 'long';

export interface Broken {
  why: WhyBroken;
  /** What was heard, from pause to pause. */
  parts: string[];
}

/** What a key press was. `Before` is what the listener wants back to undo the typing. */
export type Stroke<Before> =
  /** A person's, as far as can be told yet. */
  | { kind: 'typing' }
  /** Within a burst. */
  | { kind: 'burst' }
  /** The end of a scan; `slowest` is the longest gap in it, in milliseconds. */
  | { kind: 'scan'; value: string; slowest: number; undo: Before | null }
  /** The end of a scan that no value can be made of; `slowest` if it is one of this scanner's, but for a pause. */
  | { kind: 'broken'; broken: Broken; slowest: number | null; undo: Before | null }
  /** One more key of an end: scanners may end with CR LF, or Tab and Enter. */
  | { kind: 'end' };

interface Typed<Before> {
  text: string;
  /** Milliseconds since the character before it. */
  gap: number;
  before: Before | null;
}

export class WedgeDecoder<Before = never> {
  readonly #limit: () => number;
  #typed: Typed<Before>[] = [];
  #isTooLong = false;
  #hasKeys = false;
  #isInterrupted = false;
  #hasEnded = false;
  #lastAt = Number.NEGATIVE_INFINITY;
  #disturbedAt = Number.NEGATIVE_INFINITY;

  /** @param limit the longest pause within a scan, in milliseconds. */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * @param key as in `KeyboardEvent.key`.
   * @param at when it was pressed, in milliseconds of any one clock.
   * @param before what undoes it, if it goes into a text field.
   */
  press(key: string, at: number, before: Before | null = null): Stroke<Before> {
    // Scanners press them for capitals, between their characters.
    if (MODIFIERS.has(key)) {
      return { kind: 'typing' };
    }
    this.#forgetIfOld(at);
    if (key === 'Enter' || key === 'Tab') {
      return this.#end(at);
    }
    if ([...key].length !== 1) {
      return this.command(at);
    }
    if (this.#typed.length === 0) {
      this.#isInterrupted = at - this.#disturbedAt <= LONGEST_LIMIT_MS;
    }
    this.#typed.push({ text: key, gap: at - this.#lastAt, before });
    if (this.#typed.length > MOST_CHARACTERS) {
      this.#typed.shift();
      this.#isTooLong = true;
    }
    this.#hasEnded = false;
    return this.#going(at);
  }

  /** A key that is no character was pressed, or one together with Ctrl and the like: a person's, unless in a burst. */
  command(at: number): Stroke<Before> {
    this.#forgetIfOld(at);
    if (this.#typed.length === 0) {
      this.#forget();
      return { kind: 'typing' };
    }
    this.#hasKeys = true;
    return this.#going(at);
  }

  /** The page lost the keys, or has them again: what was being typed is not whole, nor is what begins now. */
  interrupt(at: number): Stroke<Before> {
    this.#disturbedAt = at;
    return this.#withoutEnd('interrupted');
  }

  /** Some time went by: a scan that has no end until now has none. */
  quiet(at: number): Stroke<Before> {
    const isInField = this.#typed.at(-1)?.before != null;
    if (at - this.#lastAt < RECENT_MS || isInField) {
      return { kind: 'typing' }; // in a field it can be seen, and taken by hand
    }
    return this.#withoutEnd('unended');
  }

  #going(at: number): Stroke<Before> {
    const isBurst = this.#typed.length > 1 && at - this.#lastAt <= this.#limit();
    this.#lastAt = at;
    return { kind: isBurst ? 'burst' : 'typing' };
  }

  #withoutEnd(why: WhyBroken): Stroke<Before> {
    const isMachines = isBegunByMachine(this.#gaps(), this.#limit());
    const stroke = isMachines ? this.#broken(why, 0) : ({ kind: 'typing' } as const);
    this.#forget();
    return stroke;
  }

  #end(at: number): Stroke<Before> {
    const endGap = at - this.#lastAt;
    const isAgain = this.#hasEnded && endGap <= this.#limit();
    const stroke: Stroke<Before> = isAgain ? { kind: 'end' } : this.#ended(endGap);
    this.#forget();
    this.#hasEnded = stroke.kind !== 'typing';
    this.#lastAt = at;
    return stroke;
  }

  #ended(endGap: number): Stroke<Before> {
    const gaps = this.#gaps();
    const isInField = this.#typed.at(-1)?.before != null;
    const rhythm = rhythmOf(gaps, endGap, { limit: this.#limit(), isInField });
    switch (rhythm.kind) {
      case 'typing':
        return { kind: 'typing' };
      case 'pieces': {
        const slowest = Math.max(endGap, ...gaps);
        const isOneScan = slowest <= LONGEST_LIMIT_MS && isSteady(gaps) && !this.#hasKeys;
        return this.#broken('pause', rhythm.from, isOneScan ? slowest : null);
      }
      case 'whole': {
        if (this.#hasKeys || this.#isTooLong || this.#isInterrupted) {
          return this.#broken(this.#hasKeys ? 'keys' : this.#isTooLong ? 'long' : 'interrupted', 0);
        }
        const value = this.#typed.map(({ text }) => text).join('');
        return { kind: 'scan', value, slowest: Math.max(endGap, ...gaps), undo: this.#before(0) };
      }
    }
  }

  #broken(why: WhyBroken, from: number, slowest: number | null = null): Stroke<Before> {
    const parts = [''];
    for (const [index, { text, gap }] of this.#typed.entries()) {
      if (index > 0 && (gap > this.#limit() || index === from)) {
        parts.push('');
      }
      parts.push((parts.pop() ?? '') + text);
    }
    return { kind: 'broken', broken: { why, parts }, slowest, undo: this.#before(from) };
  }

  #before(from: number): Before | null {
    return this.#typed[from]?.before ?? null;
  }

  #gaps(): number[] {
    return this.#typed.slice(1).map(({ gap }) => gap);
  }

  #forgetIfOld(at: number): void {
    if (at - this.#lastAt > RECENT_MS) {
      this.#forget();
    }
  }

  #forget(): void {
    this.#typed = [];
    this.#isTooLong = false;
    this.#hasKeys = false;
    this.#isInterrupted = false;
    this.#hasEnded = false;
    this.#lastAt = Number.NEGATIVE_INFINITY;
  }
}

const MODIFIERS = new Set(['Shift', 'CapsLock', 'AltGraph', 'NumLock']);
