import { userInfo } from 'node:os';

/** The name of the user that this process runs as; `uid 1000` where it has none, as containers may be run. */
export function operatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
