import type { MqttClient } from 'mqtt';

/**
 * The keepalive of a connection to a broker, in place of the client library's.
 *
 * The library sends one ping a keepalive and misses its answer after half of that. But answers come in order, behind
 * whatever messages are on the way, and acknowledgements are written past the library: while a backlog was drained at
 * 27,000 reads/s, the answer waited behind up to 4,000 messages, and the connection was given up every 22 s. So this
 * pings all the time, for the broker's sake, and takes everything that is received for a sign of the broker's life,
 * not only the answer. While a message waits for room nothing is read, so silence means nothing then.
 */
export class BrokerKeepalive {
  readonly #client: MqttClient;
  readonly #giveUp: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Looks since something was received, so that a process that stood still does not blame the broker for it. */
  #silentLooks = 0;
  #looks = 0;
  #isHeld = false;

  /** @param giveUp is called when the broker has been silent for one and a half times the keepalive. */
  constructor(client: MqttClient, giveUp: () => void) {
    this.#client = client;
    this.#giveUp = giveUp;
    client.on('packetreceive', () => {
      this.#silentLooks = 0;
    });
    client.once('connect', () => {
      // In seconds; a broker of MQTT 5 may have asked for another. 0 is never.
      if (client.keepalive > 0) {
        this.#timer = setInterval(() => this.#look(), (client.keepalive * 1_000) / LOOKS);
      }
    });
    client.once('close', () => clearInterval(this.#timer));
  }

  /** A message begins to wait for room. */
  hold(): void {
    this.#isHeld = true;
  }

  /** It waits no more. */
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
      // The library's own never comes to count.
      this.#client.reschedulePing(true);
    }
  }
}

/** Within a keepalive. */
const LOOKS = 4;

/** Two pings within a keepalive: the broker gives up a client that was silent for one and a half. */
const LOOKS_PER_PING = LOOKS / 2;

/** The same in the other direction. */
const LONGEST_SILENCE = LOOKS * 1.5;
