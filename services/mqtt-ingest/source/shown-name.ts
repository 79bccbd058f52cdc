/**
 * A user name that was refused, as it may be shown: one as long as the passwords that readers and consumers are given is probably
 * such a one, typed into the field above its own.
 */
export function shownName(username: string): string {
  return PASSWORD.test(username) ? `${username.slice(0, 3)}***` : username;
}

/** 24 bytes in base64url (`makePassword`). */
const PASSWORD = /^[\w-]{32}$/;
