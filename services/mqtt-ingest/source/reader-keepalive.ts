/**
 * Keepalive of a reader's connection to the embedded broker.
 *
 * The broker does not read a connection while one of its publishes waits for its commit, so it neither sees
 * nor answers pings, and in an outage both sides would drop the connection. So the broker's own keepalive is
 * off, and this replaces it: a reader that is silent for one and a half keepalives is cut off
 * ([MQTT-3.1.2-24]), but not while its connection is paused; meanwhile its unread pings are answered all the
 * same. Readers ignore an answer to a ping they did not send.
 */
export class ReaderKeepalive {
  readonly #answerPing: () => void;
  readonly #cutOff: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Looks since something was heard, so that a stalled process does not blame the reader. */
  #silentLooks = 0;
  #held = 0;
  /**
   * True if anything was held since the last check. Consecutive commits let a little be read between them,
   * and a ping may be far behind everything buffered by reader and network.
   */
  #wasHeld = false;

  constructor({ answerPing, cutOff }: { answerPing: () => void; cutOff: () => void }) {
    this.#answerPing = answerPing;
    this.#cutOff = cutOff;
  }

  /** @param seconds requested by the reader; 0 for none. */
  start(seconds: number): void {
    const silence = seconds * 1_500;
    if (silence > 0) {
      this.#timer = setInterval(() => this.#look(), silence / LOOKS);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  heard(): void {
    this.#silentLooks = 0;
  }

  hold(): void {
    this.#held += 1;
    this.#wasHeld = true;
  }

  release(): void {
    this.#held -= 1;
    if (this.#held === 0) {
      this.heard();
    }
  }

  #look(): void {
    this.#silentLooks += 1;
    if (this.#wasHeld) {
      this.#answerPing();
    } else if (this.#silentLooks > LOOKS) {
      this.#cutOff();
    }
    this.#wasHeld = this.#held > 0;
  }
}

/** Checks within the longest silence of one and a half keepalives: four per keepalive. */
const LOOKS = 6;
