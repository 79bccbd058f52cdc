import { isIP, type LookupFunction } from 'node:net';
import { AppError } from '../../../base/errors.ts';
import type { Networks } from '../../../base/networks.ts';
import { judgeAddress } from './judge-address.ts';
import type { Resolve } from './resolve.ts';
import { faultOfAddress } from './target-url.ts';

/** Requests may not be sent to this target. */
export class TargetRefused extends AppError {
  constructor(fault: string) {
    super('invalid_input', `Not sent: the URL ${fault}`);
  }
}

/**
 * Resolves a name for a connection, once: the connection goes to the address that was checked, so a name server that
 * answers differently the next time (DNS rebinding) gains nothing. One refused address refuses them all.
 *
 * Not called for IP addresses; those are checked beforehand, by {@link faultOfAddress}.
 */
export function checkedLookup(
  protocol: 'http:' | 'https:',
  { networks, resolve }: { networks: Networks; resolve: Resolve },
): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const fault = addresses.reduce<string | null>(
          (first, address) => first ?? faultOfAddress(address, protocol, judgeAddress(address, networks)),
          null,
        );
        const [only] = addresses;
        if (fault !== null) {
          callback(new TargetRefused(fault), '', 0);
        } else if (only === undefined) {
          callback(new AppError('not_found', `${name} has no address`), '', 0);
        } else if (options.all === true) {
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        } else {
          callback(null, only, isIP(only));
        }
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}
