import type { WaitingBody } from './bodies-to-evict.ts';
import type { BodyShares } from './body-shares.ts';

export function newestOfMost<Waiting extends WaitingBody>(waiting: Iterable<Waiting>): Waiting | undefined {
  const byOrganization = Map.groupBy(waiting, ({ sender }) => sender.organization);
  const [most] = [...byOrganization.values()].sort((a, b) => b.length - a.length);
  return most?.at(-1);
}

export function nextToEnter<Waiting extends WaitingBody>(
  waiting: Iterable<Waiting>,
  shares: BodyShares,
): Waiting | null {
  let next: Waiting | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const each of waiting) {
    const weight = shares.weightOf(each.sender);
    if (weight < least && shares.boundFor(each) === null) {
      [next, least] = [each, weight];
    }
  }
  return next;
}
