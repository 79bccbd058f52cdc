import ipaddr from 'ipaddr.js';
import { type Address, isWithin, type Networks } from '../../../base/networks.ts';

/** `named`: not public, but in WEBHOOK_NETWORKS. `metadata`: refused even if named there. */
export type Reach = 'public' | 'named' | 'refused' | 'metadata';

/**
 * Judges whether requests may be sent to an address. Loopback, link-local, private and reserved ranges only if named;
 * metadata addresses, at which clouds give credentials to any caller, never.
 *
 * @param text an IP address as `net.isIP` knows it.
 */
export function judgeAddress(text: string, networks: Networks): Reach {
  // IPv4-mapped IPv6 (::ffff:127.0.0.1) connects to the IPv4 address.
  const address = ipaddr.process(text.replace(/%.*$/, ''));
  if (isMetadata(address)) {
    return 'metadata';
  }
  if (isWithin(address, networks)) {
    return 'named';
  }
  return isPublic(address) ? 'public' : 'refused';
}

/**
 * By the library's table of special ranges. It takes unallocated IPv6 addresses for public, such as `::7f00:1`, an old
 * form of 127.0.0.1; public ones are in 2000::/3.
 */
function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST));
}

const GLOBAL_UNICAST: Networks = [ipaddr.parseCIDR('2000::/3')];

function isMetadata(address: Address): boolean {
  return isWithin(address, METADATA) || embeddedIn(address).some((embedded) => isWithin(embedded, METADATA));
}

/** AWS, Google, Azure, Oracle, OpenStack and others; ECS and EKS; Azure's host; Alibaba; Oracle, once. */
const METADATA: Networks = [
  ...[
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
].map((address) => {
  const parsed = ipaddr.parse(address);
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128] as const;
});

/** IPv4 addresses that translators and tunnels (NAT64, 6to4 and the like) may make of an IPv6 address. */
function embeddedIn(address: Address): ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6) || address.range() === 'uniqueLocal') {
    return [];
  }
  const parts = address.parts;
  return [
    [parts[6], parts[7]],
    [parts[1], parts[2]],
  ].map(([high = 0, low = 0]) => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]));
}
