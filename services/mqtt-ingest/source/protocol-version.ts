/** As the CONNECT packet has it: 4 is MQTT 3.1.1. */
export type ProtocolVersion = 4 | 5;

/**
 * Which version of the protocol to speak where nobody has said so. MQTT 5, which says what the broker can do and lets
 * it send ahead; 3.1.1 where the broker refuses that in so many words, or has never answered it and closes the
 * connection every time. A broker that is just being restarted closes connections too, so once is not enough, and one
 * that has spoken MQTT 5 is believed to for good.
 */
export class VersionChoice {
  readonly #isFixed: boolean;
  #current: ProtocolVersion;
  #hasWorked = false;
  #silences = 0;

  /** @param fixed null to find out. */
  constructor(fixed: ProtocolVersion | null) {
    this.#isFixed = fixed !== null;
    this.#current = fixed ?? 5;
  }

  get current(): ProtocolVersion {
    return this.#current;
  }

  worked(): void {
    this.#hasWorked = true;
    this.#silences = 0;
  }

  refused(): void {
    this.#other();
  }

  notAnswered(): void {
    this.#silences += 1;
    if (!this.#hasWorked && this.#silences >= SILENCES) {
      this.#other();
    }
  }

  #other(): void {
    this.#silences = 0;
    if (!this.#isFixed) {
      this.#current = this.#current === 5 ? 4 : 5;
    }
  }
}

const SILENCES = 3;
