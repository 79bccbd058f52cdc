import { userInfo } from 'node:os';

/** Name of the user this process runs as; `uid 1000` if it has none, as in some containers. */
export function operatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
