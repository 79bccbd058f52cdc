import { createHmac } from 'node:crypto';
import { allowLogin } from './allow-login.ts';

/**
 * Lets processes sign in to the migrated embedded database by a user of their own: the one it was made with is a
 * superuser, who can read files and run programs.
 *
 * @returns the address with that user.
 */
export async function letProcessesIn(ownerUrl: string): Promise<string> {
  const url = processUrlOf(ownerUrl);
  await allowLogin(ownerUrl, url);
  return url;
}

/** The password is derived from the owner's, which is in the data folder, and does not reveal it. */
function processUrlOf(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = createHmac('sha256', url.password).update(USER).digest('base64url');
  url.username = USER;
  return url.href;
}

const USER = 'tagtrail_processes';
