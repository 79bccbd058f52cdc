import type { MadeLink } from '../../../domain/administration/users/links/insert-link.ts';
import { linkAddress } from '../../../domain/administration/users/links/link-address.ts';
import { CONSOLE_URL } from '../../../platform/runtime/console-url.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { TLS_SETTINGS } from '../../../platform/runtime/tls-settings.ts';
import { CONSOLE_PORT } from '../../console/config.ts';
import { running } from '../running/running.ts';

/** A link as a command shows it; `text` names what for. */
export function shownLink(
  { token, expires_at }: Pick<MadeLink, 'token' | 'expires_at'>,
  text: string,
): { json: { link: string; expires_at: string }; text: string } {
  const config = readSettings({ CONSOLE_URL, CONSOLE_PORT, ...TLS_SETTINGS }, running().env);
  const scheme = config.TLS_CERT_FILE === null ? 'http' : 'https';
  const link = linkAddress(config.CONSOLE_URL ?? `${scheme}://127.0.0.1:${config.CONSOLE_PORT}`, token);
  return {
    json: { link, expires_at },
    text: `${text}, good once and until ${expires_at}, shown only now:\n${link}`,
  };
}
