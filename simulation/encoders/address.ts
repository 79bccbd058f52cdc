import { createHash } from 'node:crypto';

/** A MAC address of its own for a device of that name, always the same: twelve hex digits in upper case. */
export function addressOf(name: string): string {
  return `02${createHash('sha256').update(name).digest('hex').slice(0, 10)}`.toUpperCase();
}

/** With colons between the bytes. */
export function withColons(address: string): string {
  return address.replace(/(..)(?=.)/g, '$1:');
}
