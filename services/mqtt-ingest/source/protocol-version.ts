/** CONNECT's protocol level: 4 is MQTT 3.1.1. */
export type ProtocolVersion = 4 | 5;

/**
 * Chooses the protocol version if none is set: MQTT 5, in which the broker announces its features and can
 * stream ahead; 3.1.1 if the broker refuses that explicitly, or has never answered it and closes the
 * connection every time. A restarting broker closes connections, too, so once is not enough, and a broker
 * that has spoken MQTT 5 is trusted to for good.
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
