import { connect } from 'node:net';
import { AppError, messageOf } from '../../../base/errors.ts';
import { START } from '../../../base/typed-command.ts';
import { optionalUrl, portSetting, textSetting } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';

const SETTINGS = {
  MQTT_URL: optionalUrl('the broker to publish to', ['mqtt:', 'mqtts:'], 'mqtt://host:1883'),
  HOST: textSetting('where the embedded broker listens', '127.0.0.1'),
  MQTT_PORT: portSetting('the port of the embedded broker', 1883),
};

export interface Broker {
  url: string;
  name: string;
  /** True if the URL has credentials; otherwise each reader signs in as itself. */
  hasLogin: boolean;
}

/**
 * The broker at MQTT_URL, or the embedded one of a running `npm start`.
 *
 * @throws AppError `misconfigured`; `unavailable` if nothing listens there.
 */
export async function findBroker(environment: NodeJS.ProcessEnv): Promise<Broker> {
  const { MQTT_URL, HOST, MQTT_PORT } = readSettings(SETTINGS, environment);
  const host = ANYWHERE.includes(HOST) ? 'localhost' : HOST;
  const url = new URL(MQTT_URL ?? `mqtt://${host.includes(':') ? `[${host}]` : host}:${MQTT_PORT}`);
  const port = Number(url.port || (url.protocol === 'mqtts:' ? 8883 : 1883));
  const name = `${url.protocol}//${url.hostname}:${port}`;
  try {
    await reach(url.hostname.replace(/^\[|\]$/g, ''), port);
  } catch (error) {
    const remedy =
      MQTT_URL === null
        ? `run ${START} in another window, with the same MQTT_PORT, or set MQTT_URL to your broker`
        : 'start it, or correct MQTT_URL';
    throw new AppError('unavailable', `No broker answers at ${name} (${messageOf(error)}); ${remedy}`);
  }
  return { url: url.href, name, hasLogin: url.username !== '' };
}

const ANYWHERE: readonly string[] = ['0.0.0.0', '::'];

function reach(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: PATIENCE });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${PATIENCE / 1_000} s`)));
    socket.once('error', reject);
  });
}

/** Milliseconds. */
const PATIENCE = 5_000;
