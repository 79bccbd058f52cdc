/**
 * The keepalive of one reader's connection to the embedded broker.
 *
 * The broker reads a connection no further while one of its publishes waits for its commit, so it neither sees the
 * reader's pings nor answers them, and in an outage both sides would give the connection up. So the broker is told of
 * no keepalive, and this stands in for it: a reader that is silent for one and a half times its keepalive is cut off
 * ([MQTT-3.1.2-24]), but not while it is not listened to; and while it is not, its pings, which are on the way
 * unread, are answered all the same. Readers take an answer to a ping that they did not send for none.
 */
export class ReaderKeepalive {
  readonly #answerPing: () => void;
  readonly #cutOff: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastHeard = performance.now();
  #held = 0;
  /**
   * Whether anything was held since the last look. Commits that come one after another let a little be read between
   * them, and a ping can be far behind that: in front of it there is whatever the reader and the network hold.
   */
  #wasHeld = false;

  constructor({ answerPing, cutOff }: { answerPing: () => void; cutOff: () => void }) {
    this.#answerPing = answerPing;
    this.#cutOff = cutOff;
  }

  /** @param seconds as the reader wants it; 0 is never. */
  start(seconds: number): void {
    const silence = seconds * 1_500;
    if (silence > 0) {
      this.#timer = setInterval(() => this.#look(silence), silence / LOOKS);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Something of the reader's was read. */
  heard(): void {
    this.#lastHeard = performance.now();
  }

  /** A publish begins to wait for its commit. */
  hold(): void {
    this.#held += 1;
    this.#wasHeld = true;
  }

  /** It is committed, or given up. */
  release(): void {
    this.#held -= 1;
    if (this.#held === 0) {
      this.heard();
    }
  }

  #look(silence: number): void {
    if (this.#wasHeld) {
      this.#answerPing();
    } else if (performance.now() - this.#lastHeard >= silence) {
      this.#cutOff();
    }
    this.#wasHeld = this.#held > 0;
  }
}

/** How often to look within the longest silence: four times within a keepalive, whose half some readers wait. */
const LOOKS = 6;
