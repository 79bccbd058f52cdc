import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isWithin, type Networks, parseNetworks } from '../../base/networks.ts';
import type { Setting } from '../runtime/settings.ts';

/** Larger networks hold strangers, who could then claim any address. */
const FEWEST_BITS = { ipv4: 8, ipv6: 16 } as const;

export const TRUSTED_PROXIES: Setting<Networks> = {
  purpose:
    'proxies in front, whose X-Forwarded-For says which address a request comes from: CIDR blocks, with commas between',
  initial: null,
  absent: [],
  remedy: `addresses or CIDR blocks of the proxies alone, such as 10.0.0.5,10.1.0.0/24; of IPv4 /${FEWEST_BITS.ipv4} or narrower, of IPv6 /${FEWEST_BITS.ipv6}`,
  read: (text) => {
    const networks = parseNetworks(text);
    return networks?.every(([first, bits]) => bits >= FEWEST_BITS[first.kind()]) ? networks : undefined;
  },
};

/**
 * The address that a request comes from: the connection's, or behind trusted proxies the last address in
 * X-Forwarded-For that is not a trusted proxy's. Each proxy appends the address it saw; anything further left is the
 * client's claim.
 */
export function clientAddress({ socket, headers }: IncomingMessage, trusted: Networks): string {
  let address = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  if (trusted.length === 0 || forwarded === undefined) {
    return address;
  }
  const hops = String(forwarded).split(',');
  while (isTrusted(address, trusted)) {
    const hop = bareAddress(hops.pop()?.trim() ?? '');
    if (hop === null) {
      return address;
    }
    address = hop;
  }
  return address;
}

/** Whether a request says that a proxy sent it which TRUSTED_PROXIES does not name. */
export function comesByUnnamedProxy({ socket, headers }: IncomingMessage, trusted: Networks): boolean {
  return headers['x-forwarded-for'] !== undefined && !isTrusted(socket.remoteAddress ?? '', trusted);
}

function isTrusted(address: string, trusted: Networks): boolean {
  return isIP(address) !== 0 && isWithin(ipaddr.process(address.replace(/%.*$/, '')), trusted);
}

/** Some proxies add the port. */
function bareAddress(hop: string): string | null {
  const [, bare = hop] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop)?.filter((part) => part) ?? [];
  return isIP(bare) === 0 ? null : bare;
}
