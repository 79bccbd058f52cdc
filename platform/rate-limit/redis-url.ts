import { optionalUrl } from '../runtime/setting-kinds.ts';
import type { Setting } from '../runtime/settings.ts';

const ANY_URL = optionalUrl(
  'a Redis or Valkey server, for processes that share the budget of a key or a handheld; without one each counts alone',
  ['redis:', 'rediss:'],
  'redis://user:password@host:6379',
);

/** Whether the server can be used is found out later, so an address that never can be is refused here. */
export const REDIS_URL: Setting<string | null> = {
  ...ANY_URL,
  remedy: 'an address such as redis://user:password@host:6379, which a number of a database may follow (/0)',
  read: (text) => (ANY_URL.read(text) === undefined || !isComplete(new URL(text)) ? undefined : text),
};

function isComplete({ hostname, username, password, pathname }: URL): boolean {
  return hostname !== '' && isDecodable(username) && isDecodable(password) && /^(\/\d{0,9})?$/.test(pathname);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
