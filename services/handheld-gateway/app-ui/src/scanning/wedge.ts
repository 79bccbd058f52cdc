/**
 * Tells a scanner that types (a keyboard wedge) from a person who types: it is far faster, and ends with Enter or Tab.
 *
 * Bluetooth scanners need up to 50 ms for a character; people who are quick need 80 ms and more, and hit two keys at
 * once now and then, which is why two characters are not enough.
 *
 * A burst goes on until Enter or Tab, or until a pause. Scanners type separators as Ctrl+], F8 and the like: what
 * follows is not the whole value, so such a burst is broken to its end, and no part of it is a scan.
 */
const LONGEST_GAP_MS = 60;
const FEWEST_CHARACTERS = 3;
/** As long as a tag value may be (interface section 2.4), and a token. What is longer is noise. */
const MOST_CHARACTERS = 255;

/** What a key press was. */
export type Stroke =
  /** A person's, as far as can be told yet. */
  | { kind: 'typing' }
  /** Within a burst. */
  | { kind: 'burst' }
  /** The end of a burst. */
  | { kind: 'scan'; value: string }
  /** The end of a burst that no value can be made of. */
  | { kind: 'broken' }
  /** One more key of an end: scanners may end with CR LF, or Tab and Enter. */
  | { kind: 'end' };

export class WedgeDecoder {
  #characters = '';
  #isBroken = false;
  #hasEnded = false;
  #lastAt = Number.NEGATIVE_INFINITY;

  /**
   * @param key as in `KeyboardEvent.key`.
   * @param at when it was pressed, in milliseconds of any one clock.
   */
  press(key: string, at: number): Stroke {
    // Scanners press them for capitals, between their characters.
    if (MODIFIERS.has(key)) {
      return { kind: 'typing' };
    }
    if (key === 'Enter' || key === 'Tab') {
      this.#forgetAfterPause(at);
      return this.#end(at);
    }
    if ([...key].length !== 1) {
      return this.command(at);
    }
    this.#forgetAfterPause(at);
    this.#characters = (this.#characters + key).slice(0, MOST_CHARACTERS + 1);
    this.#hasEnded = false;
    this.#lastAt = at;
    return this.#going();
  }

  /** A key that is no character was pressed, or one together with Ctrl and the like: a person's, unless in a burst. */
  command(at: number): Stroke {
    this.#forgetAfterPause(at);
    if (this.#characters === '') {
      this.#forget();
      return { kind: 'typing' };
    }
    this.#isBroken = true;
    this.#lastAt = at;
    return this.#going();
  }

  #going(): Stroke {
    return { kind: this.#characters.length > 1 ? 'burst' : 'typing' };
  }

  #end(at: number): Stroke {
    const stroke = this.#ended();
    this.#forget();
    if (stroke.kind !== 'typing') {
      this.#hasEnded = true;
      this.#lastAt = at;
    }
    return stroke;
  }

  #ended(): Stroke {
    const value = this.#characters;
    if (this.#hasEnded) {
      return { kind: 'end' };
    }
    if (value.length < FEWEST_CHARACTERS || value.length > MOST_CHARACTERS) {
      return { kind: 'typing' };
    }
    return this.#isBroken ? { kind: 'broken' } : { kind: 'scan', value };
  }

  #forgetAfterPause(at: number): void {
    if (at - this.#lastAt > LONGEST_GAP_MS) {
      this.#forget();
    }
  }

  #forget(): void {
    this.#characters = '';
    this.#isBroken = false;
    this.#hasEnded = false;
    this.#lastAt = Number.NEGATIVE_INFINITY;
  }
}

const MODIFIERS = new Set(['Shift', 'CapsLock', 'AltGraph', 'NumLock']);
