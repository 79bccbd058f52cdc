import { InvalidArgumentError } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import { signInAddress } from '../../../domain/administration/handhelds/sign-in-address.ts';
import { HANDHELD_PORT, HANDHELD_URL } from '../../../platform/runtime/handheld-settings.ts';
import { textSetting } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { TLS_SETTINGS } from '../../../platform/runtime/tls-settings.ts';

const SETTINGS = {
  HANDHELD_URL,
  HOST: textSetting('where the gateway listens', '127.0.0.1'),
  HANDHELD_PORT,
  ...TLS_SETTINGS,
};

const EVERYWHERE = ['0.0.0.0', '::'];
const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** Of `--qr`: where the app is. */
export function appAddress(text: string): string {
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol)) {
    throw new InvalidArgumentError(
      'It must be the address of the app, such as https://handhelds.example.com.',
    );
  }
  return text;
}

/**
 * A QR code for the terminal, by which a device signs in with a token, and its address.
 *
 * @param app where the app is; null for what the settings say.
 * @throws AppError `misconfigured`.
 */
export function signInCode(
  token: string,
  app: string | null,
  environment: NodeJS.ProcessEnv,
): { url: string; text: string } {
  const url = signInAddress(app ?? appOf(environment), token);
  const { origin, hostname } = new URL(url);
  const isHere = LOOPBACK.test(hostname);
  const text = [
    `Whoever scans this code signs in at ${origin} with this token:`,
    renderUnicodeCompact(url, { ecc: 'M', border: 2 }),
    ...(isHere
      ? ['Only this machine can open that: give --qr, or HANDHELD_URL, an address phones can.']
      : []),
  ].join('\n');
  return { url, text };
}

function appOf(environment: NodeJS.ProcessEnv): string {
  const { HANDHELD_URL: known, HOST, HANDHELD_PORT, TLS_CERT_FILE } = readSettings(SETTINGS, environment);
  const host = EVERYWHERE.includes(HOST) ? 'localhost' : HOST;
  const scheme = TLS_CERT_FILE === null ? 'http' : 'https';
  return known ?? `${scheme}://${host.includes(':') ? `[${host}]` : host}:${HANDHELD_PORT}`;
}
