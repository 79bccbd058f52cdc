import { lookup as lookUp, Resolver } from 'node:dns/promises';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';

/** Finds the addresses of a name. @throws the fault of the look-up. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Queries name servers directly, so that a silent one delays only its caller. Names they do not know may be in the
 * hosts file: that look-up takes one of Node.js's four threads, which the whole process needs for its own look-ups and
 * files, so at most two run at a time.
 *
 * @param servers those of the machine if left out.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) {
    resolver.setServers(servers);
  }
  const turns = new FairSemaphore<string>({
    total: 2,
    perKey: 1,
    perKeyWithRoom: 1,
    waitingPerKey: 64,
    patience: 10_000,
  });
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) {
      return found;
    }
    const own = await turns.run(name, () => lookUp(name, { all: true, verbatim: true }));
    return own.map(({ address }) => address);
  };
}
