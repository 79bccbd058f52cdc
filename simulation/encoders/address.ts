import { createHash } from 'node:crypto';

export function addressOf(name: string): string {
  return `02${createHash('sha256').update(name).digest('hex').slice(0, 10)}`.toUpperCase();
}

export function withColons(address: string): string {
  return address.replace(/(..)(?=.)/g, '$1:');
}
