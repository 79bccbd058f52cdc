import type { MqttClient } from 'mqtt';

/**
 * Keepalive of a broker connection, instead of the client library's.
 *
 * The library sends one ping per keepalive and gives up when the answer takes more than half of that. But
 * answers come in order, behind messages on their way, and acknowledgements bypass the library: while a
 * backlog drained at 27,000 reads/s, the answer waited behind up to 4,000 messages, and the connection was
 * dropped every 22 s. So this pings all the time, for the broker's sake, and takes anything received as a
 * sign of life. While a message waits for room nothing is read, and silence means nothing.
 */
export class BrokerKeepalive {
  readonly #client: MqttClient;
  readonly #giveUp: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Checks since something was received, so that a stalled process does not blame the broker. */
  #silentLooks = 0;
  #looks = 0;
  #isHeld = false;
  #heardAt = performance.now();

  /** @param giveUp called when the broker has been silent for one and a half keepalives. */
  constructor(client: MqttClient, giveUp: () => void) {
    this.#client = client;
    this.#giveUp = giveUp;
    client.on('packetreceive', () => {
      this.#silentLooks = 0;
      this.#heardAt = performance.now();
    });
    client.once('connect', () => {
      // In seconds; a broker of MQTT 5 may have asked for another. 0 is never.
      if (client.keepalive > 0) {
        this.#timer = setInterval(() => this.#look(), (client.keepalive * 1_000) / LOOKS);
      }
    });
    client.once('close', () => clearInterval(this.#timer));
  }

  /** Milliseconds since something was received: while all is well little more than half a keepalive. 0 without one. */
  quietFor(): number {
    return this.#timer === undefined ? 0 : performance.now() - this.#heardAt;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#silentLooks = 0;
  }

  #look(): void {
    this.#looks += 1;
    this.#silentLooks += this.#isHeld ? 0 : 1;
    if (this.#silentLooks >= LONGEST_SILENCE) {
      this.#giveUp();
    } else if (this.#client.connected) {
      if (this.#looks % LOOKS_PER_PING === 0) {
        this.#client.sendPing();
      }
      // Keeps the library's own keepalive from ever firing.
      this.#client.reschedulePing(true);
    }
  }
}

/** Per keepalive. */
const LOOKS = 4;

/** Two pings per keepalive: the broker drops a client after one and a half of silence. */
const LOOKS_PER_PING = LOOKS / 2;

/** The same limit for the broker's silence. */
const LONGEST_SILENCE = LOOKS * 1.5;
