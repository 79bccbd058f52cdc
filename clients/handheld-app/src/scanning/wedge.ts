import { readCode } from '../../../../base/scanned-text.ts';
import { isBegunByMachine, isSteady, LONGEST_LIMIT_MS, rhythmOf } from './rhythm.ts';

/**
 * Tells a scanner that types (a keyboard wedge) from a person: it is far faster, and ends with Enter or Tab. A value is
 * accepted only if it was heard completely; anything else that a machine typed is reported as broken and has to be
 * scanned again, since part of a value may be another asset's tag. The rules:
 *
 * 1. Characters belong together as long as none is `RECENT_MS` later than the one before it. With their end they are
 * typing, a whole scan, or a scan in pieces (`rhythm.ts`).
 * 2. In pieces means broken: something in it took longer than the pause limit, or a person had just typed in front of
 * it.
 * 3. Broken, however steady: a scan in which a key was pressed that is neither a character nor GS1's separator (`FNC1`,
 * which scanners type as Ctrl+] or F8, and which is no part of the value) or that contains something unreadable
 * (`unknown`); one that began up to `LONGEST_LIMIT_MS` after the page began to receive keys, or while it lost them; one
 * longer than a tag can be.
 * 4. Characters without an end are broken if a machine began them. For `DOUBTED_MS` after them, and after those a
 * person may have typed outside of a field, what follows may be their tail: it is accepted only if it begins as they
 * do, which is the same label scanned again.
 * 5. Outside of a field nobody types `SURELY_A_MACHINE` characters and Enter: a scanner did, if slowly, and is
 * reported.
 * 6. Keys right after an end belong to it: CR LF, Tab and Enter.
 */
export const RECENT_MS = 1_500;
const DOUBTED_MS = 10_000;
/** Stands for unreadable characters. */
const UNREADABLE = '…';
/** Length of a tag value (contract 2.4), and of a token. Anything longer is noise. */
const MOST_CHARACTERS = 255;

export type WhyBroken = 'pause' | 'keys' | 'unended' | 'interrupted' | 'long' | 'slow';

export interface Broken {
  why: WhyBroken;
  /** The characters so far, split at pauses. */
  parts: string[];
}

/**
 * Classification of a key press. `Before` is what the listener needs to undo the typing, in order of the characters.
 */
export type Stroke<Before> =
  /** A person's, as far as known yet. */
  | { kind: 'typing' }
  | { kind: 'burst' }
  /** A complete scan; `slowest` is its longest gap in milliseconds. */
  | { kind: 'scan'; value: string; slowest: number; undo: Before[] }
  /** A scan without a usable value; `slowest` if a pause was all that was wrong. */
  | { kind: 'broken'; broken: Broken; slowest: number | null; undo: Before[] }
  /** A further key of an end: scanners may end with CR LF, or Tab and Enter. */
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
  #disturbedAt: number;
  /** Characters without an end, whose tail may follow. */
  #head: { text: string; at: number } | null = null;

  /**
   * @param limit longest pause within a scan, in milliseconds.
   * @param since when the page began to receive keys.
   */
  constructor(limit: () => number, since = Number.NEGATIVE_INFINITY) {
    this.#limit = limit;
    this.#disturbedAt = since;
  }

  /**
   * @param key `KeyboardEvent.key`.
   * @param at milliseconds of any one clock.
   * @param before undoes it, if it goes into a text field.
   */
  press(key: string, at: number, before: Before | null = null): Stroke<Before> {
    // Scanners press them for capitals, between their characters.
    if (MODIFIERS.has(key)) {
      return { kind: 'typing' };
    }
    this.#forgetIfOld(at);
    if (SEPARATORS.has(key)) {
      return this.separator(at, before);
    }
    if (key === 'Enter' || key === 'Tab') {
      return this.#end(at);
    }
    if ([...key].length !== 1) {
      return this.command(at);
    }
    return this.#add(key, at, before);
  }

  /** Call for FNC1, as between the parts of a GS1 code; a leading one does not count. */
  separator(at: number, before: Before | null = null): Stroke<Before> {
    this.#forgetIfOld(at);
    return this.#typed.length === 0 ? this.command(at) : this.#add(FNC1, at, before);
  }

  /** Call for unidentifiable input: a word of an on-screen keyboard, a character by its number. */
  unknown(at: number, before: Before | null = null): Stroke<Before> {
    this.#forgetIfOld(at);
    const isMore = this.#typed.at(-1)?.text === UNREADABLE;
    const stroke = isMore ? this.#going(at) : this.#add(UNREADABLE, at, before);
    this.#hasKeys = true;
    return stroke;
  }

  #add(text: string, at: number, before: Before | null): Stroke<Before> {
    if (this.#typed.length === 0) {
      this.#isInterrupted = at - this.#disturbedAt <= LONGEST_LIMIT_MS;
    }
    this.#typed.push({ text, gap: at - this.#lastAt, before });
    if (this.#typed.length > MOST_CHARACTERS) {
      this.#typed.shift();
      this.#isTooLong = true;
    }
    this.#hasEnded = false;
    return this.#going(at);
  }

  /** Call for a key that is no character, or one with Ctrl and the like: a person's, unless within a burst. */
  command(at: number): Stroke<Before> {
    this.#forgetIfOld(at);
    if (this.#typed.length === 0) {
      this.#forget();
      return { kind: 'typing' };
    }
    this.#hasKeys = true;
    return this.#going(at);
  }

  /** Call when the screen was touched or clicked: earlier typing in a field was a person's, and is complete. */
  touch(): void {
    if (this.#isInField && !isBegunByMachine(this.#gaps(), this.#limit())) {
      this.#forget();
    }
  }

  /**
   * Call when the page lost or regained the keyboard: the present scan is incomplete, and so is one that begins now.
   */
  interrupt(at: number): Stroke<Before> {
    this.#disturbedAt = at;
    return this.#withoutEnd('interrupted');
  }

  /** Call after a while: a scan without an end has none by now. */
  quiet(at: number): Stroke<Before> {
    if (at - this.#lastAt < RECENT_MS || this.#isInField) {
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
    this.#doubt();
    this.#forget();
    return stroke;
  }

  #end(at: number): Stroke<Before> {
    const endGap = at - this.#lastAt;
    const isAgain = this.#hasEnded && endGap <= this.#limit();
    const stroke: Stroke<Before> = isAgain ? { kind: 'end' } : this.#ended(endGap);
    this.#forget();
    this.#head = null;
    this.#hasEnded = stroke.kind !== 'typing';
    this.#lastAt = at;
    return stroke;
  }

  #ended(endGap: number): Stroke<Before> {
    const gaps = this.#gaps();
    const rhythm = rhythmOf(gaps, endGap, { limit: this.#limit(), isInField: this.#isInField });
    switch (rhythm.kind) {
      case 'typing':
        return { kind: 'typing' };
      case 'slow':
        return this.#broken('slow', 0);
      case 'pieces': {
        const slowest = Math.max(endGap, ...gaps);
        const isOneScan = slowest <= LONGEST_LIMIT_MS && isSteady(gaps) && !this.#hasKeys;
        return this.#broken('pause', rhythm.from, isOneScan ? slowest : null);
      }
      case 'whole': {
        if (this.#hasKeys || this.#isTooLong || this.#isInterrupted) {
          return this.#broken(this.#hasKeys ? 'keys' : this.#isTooLong ? 'long' : 'interrupted', 0);
        }
        const value = readCode(this.#text());
        const slowest = Math.max(endGap, ...gaps);
        if (this.#head !== null && !value.startsWith(this.#head.text)) {
          const parts = [this.#head.text, value];
          return { kind: 'broken', broken: { why: 'pause', parts }, slowest, undo: this.#before(0) };
        }
        return { kind: 'scan', value, slowest, undo: this.#before(0) };
      }
    }
  }

  #broken(why: WhyBroken, from: number, slowest: number | null = null): Stroke<Before> {
    const parts = [''];
    for (const [index, { text, gap }] of this.#typed.entries()) {
      if (index > 0 && why !== 'slow' && (gap > this.#limit() || index === from)) {
        parts.push('');
      }
      parts.push((parts.pop() ?? '') + (text === FNC1 ? '' : text));
    }
    return { kind: 'broken', broken: { why, parts }, slowest, undo: this.#before(from) };
  }

  /** The focus may have moved in between: each field has its own `Before`. */
  #before(from: number): Before[] {
    return this.#typed.slice(from).flatMap(({ before }) => (before === null ? [] : [before]));
  }

  get #isInField(): boolean {
    return this.#typed.at(-1)?.before != null;
  }

  #text(): string {
    return this.#typed.map(({ text }) => text).join('');
  }

  #gaps(): number[] {
    return this.#typed.slice(1).map(({ gap }) => gap);
  }

  #forgetIfOld(at: number): void {
    if (at - this.#lastAt > RECENT_MS) {
      this.#doubt();
      this.#forget();
    }
    if (this.#typed.length === 0 && this.#head !== null && at - this.#head.at > DOUBTED_MS) {
      this.#head = null;
    }
  }

  /** The next characters may be the tail of these. In a field they are a person's, unless they came too quickly. */
  #doubt(): void {
    const isDoubted = !this.#isInField || isBegunByMachine(this.#gaps(), this.#limit());
    if (this.#typed.length > 0 && isDoubted) {
      this.#head = { text: readCode(this.#text()), at: this.#lastAt };
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

const MODIFIERS = new Set(['Shift', 'CapsLock', 'AltGraph', 'NumLock', 'Control']);

const FNC1 = '\u001d';
const SEPARATORS = new Set([FNC1, 'F8']);
