/**
 * Tells a scanner that types (a keyboard wedge) from a person who types: it is far faster, and ends with Enter or Tab.
 *
 * Bluetooth scanners need up to 50 ms for a character; people who are quick need 80 ms and more, and hit two keys at
 * once now and then, which is why two characters are not enough.
 */
const LONGEST_GAP_MS = 60;
const FEWEST_CHARACTERS = 3;
/** As long as a tag value may be (interface section 2.4), and a token. What is longer is noise. */
const MOST_CHARACTERS = 255;

/** What a key press was: typing as far as can be told yet, a character of a burst, or the end of a burst. */
export type Stroke = { kind: 'typing' } | { kind: 'burst' } | { kind: 'scan'; value: string };

export class WedgeDecoder {
  #characters = '';
  #lastAt = Number.NEGATIVE_INFINITY;

  /**
   * @param key as in `KeyboardEvent.key`.
   * @param at when it was pressed, in milliseconds of any one clock.
   */
  press(key: string, at: number): Stroke {
    const isQuick = at - this.#lastAt <= LONGEST_GAP_MS;
    if (key === 'Enter' || key === 'Tab') {
      const value = this.#characters;
      this.reset();
      const isScan = isQuick && value.length >= FEWEST_CHARACTERS && value.length <= MOST_CHARACTERS;
      return isScan ? { kind: 'scan', value } : { kind: 'typing' };
    }
    if ([...key].length !== 1) {
      // Shift and its like come between a scanner's characters; anything else that has a name is a person's.
      if (!MODIFIERS.has(key)) {
        this.reset();
      }
      return { kind: 'typing' };
    }
    this.#characters = isQuick ? (this.#characters + key).slice(0, MOST_CHARACTERS + 1) : key;
    this.#lastAt = at;
    return { kind: this.#characters.length > 1 ? 'burst' : 'typing' };
  }

  reset(): void {
    this.#characters = '';
    this.#lastAt = Number.NEGATIVE_INFINITY;
  }
}

const MODIFIERS = new Set(['Shift', 'CapsLock', 'AltGraph', 'NumLock']);
