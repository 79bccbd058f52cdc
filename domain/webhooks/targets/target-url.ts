import { isIP } from 'node:net';
import type { Networks } from '../../../base/networks.ts';
import { judgeAddress, type Reach } from './judge-address.ts';

export const URL_MAX_LENGTH = 2_048;

/** The fault of a URL as the target of a webhook, without a DNS look-up; null if there is none. Completes "the URL". */
export function faultOfTarget(text: string, networks: Networks): string | null {
  if (text.length > URL_MAX_LENGTH) {
    return `must have at most ${URL_MAX_LENGTH} characters`;
  }
  if (!URL.canParse(text)) {
    return 'must be an address such as https://example.com/hooks';
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return 'must begin with https:// (or http://, to a network that WEBHOOK_NETWORKS names)';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password; the receiver knows the sender by the signature';
  }
  const host = hostOf(url);
  if (isIP(host) === 0) {
    return url.protocol === 'http:' && networks.length === 0 ? PLAIN_HTTP : null;
  }
  return faultOfAddress(host, url.protocol, judgeAddress(host, networks));
}

/** @param address to connect to. */
export function faultOfAddress(address: string, protocol: string, reach: Reach): string | null {
  if (reach === 'metadata') {
    return `must not lead to ${address}, at which clouds give out credentials; it is always refused, whatever WEBHOOK_NETWORKS names`;
  }
  if (reach === 'refused') {
    return `must not lead to ${address}, which is not a public address; an operator can allow private networks by WEBHOOK_NETWORKS`;
  }
  return protocol === 'http:' && reach !== 'named' ? PLAIN_HTTP : null;
}

const PLAIN_HTTP =
  'must begin with https://; plain http is for networks that an operator has named by WEBHOOK_NETWORKS';

/**
 * The form that is stored: hosts written as numbers (0x7f.1, 2130706433) become addresses, the fragment is dropped.
 */
export function normalizedTarget(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}

/** An IP address without brackets, or a name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
