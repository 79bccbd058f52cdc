import { lookup as lookUp, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { AppError } from '../../../base/errors.ts';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { Networks } from '../../../base/networks.ts';
import { judgeAddress } from './judge-address.ts';
import { faultOfAddress } from './target-url.ts';

/** Finds the addresses of a name for an organization. @throws the fault of the look-up. */
export type Resolve = (name: string, orgId: number) => Promise<string[]>;

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
  orgId: number,
): LookupFunction {
  return (name, options, callback) => {
    resolve(name, orgId).then(
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

/**
 * Queries name servers directly, so that a silent one delays only its caller. Names they do not know may be in the
 * hosts file: that look-up takes one of Node.js's four threads, which the whole process needs for its own look-ups and
 * files, so at most two run at a time, one of an organization. A place is kept for organizations that looked up little.
 *
 * @param servers those of the machine if left out.
 * @param lookUpHere asks the machine, and may take long.
 */
export function createResolve(
  servers?: readonly string[],
  lookUpHere = (name: string) => lookUp(name, { all: true, verbatim: true }),
): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) {
    resolver.setServers(servers);
  }
  const turns = new FairSemaphore<number>({
    total: 2,
    perKey: 1,
    perKeyWithRoom: 1,
    kept: 1,
    waitingPerKey: 64,
    patience: 10_000,
  });
  return async (name, orgId) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) {
      return found;
    }
    const own = await turns.run(orgId, () => lookUpHere(name));
    return own.map(({ address }) => address);
  };
}
