import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Blocks of addresses. */
export type Networks = readonly (readonly [Address, bits: number])[];

/**
 * Reads CIDR blocks, separated by commas; a single address is a block of one.
 *
 * @returns undefined if one of them is invalid.
 */
export function parseNetworks(text: string): Networks | undefined {
  const blocks = text.split(',').map((part) => blockOf(part.trim()));
  return blocks.includes(undefined) ? undefined : blocks.filter((block) => block !== undefined);
}

function blockOf(text: string): Networks[number] | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  // The library reads more than the usual forms, such as 0x7f.1.
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) {
    return undefined;
  }
  const first = ipaddr.process(address);
  const most = first.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) {
    return [first, most];
  }
  const given = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  // For an IPv4 address written as IPv6, the leading bits do not count.
  const own = isIP(address) === 6 && most === 32 ? given - 96 : given;
  return own >= 0 && own <= most ? [first, own] : undefined;
}

export function isWithin(address: Address, networks: Networks): boolean {
  // The library refuses to compare addresses of different kinds.
  return networks.some(
    ([first, bits]) => first.kind() === address.kind() && address.match(first as never, bits),
  );
}
