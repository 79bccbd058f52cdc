import { createHash } from 'node:crypto';

/** A MAC address derived from the device's name: twelve hex digits in upper case. */
export function addressOf(name: string): string {
  return `02${createHash('sha256').update(name).digest('hex').slice(0, 10)}`.toUpperCase();
}

export function withColons(address: string): string {
  return address.replace(/(..)(?=.)/g, '$1:');
}
