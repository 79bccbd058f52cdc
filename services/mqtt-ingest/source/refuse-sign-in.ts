import type { AuthenticateError, Client } from 'aedes';

/** For the callback of the broker. */
export function badCredentials(): AuthenticateError {
  return Object.assign(new Error('wrong user name or password'), { returnCode: BAD_USER_NAME_OR_PASSWORD });
}

/**
 * Has a client come again, instead of calling the broker back: its connection ends without a CONNACK, which every client takes
 * for a network that failed. "Server unavailable" (3) would say more, but some stay away after any refusal, mqtt.js by its
 * defaults among them.
 */
export function endUnanswered({ conn }: Client): void {
  conn.destroy();
}

/** MQTT 3.1.1 section 3.2.2.3. */
const BAD_USER_NAME_OR_PASSWORD = 4;
