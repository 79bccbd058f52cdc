import type { WaitingBody } from './body-giving-way.ts';
import type { BodyShares } from './body-shares.ts';

/** The latest of the organization that has most waiting. */
export function newestOfMost<Waiting extends WaitingBody>(waiting: Iterable<Waiting>): Waiting | undefined {
  const byOrganization = Map.groupBy(waiting, ({ sender }) => sender.organization);
  const [most] = [...byOrganization.values()].sort((a, b) => b.length - a.length);
  return most?.at(-1);
}

/** Of those that there is room for, the one whose sender has least. */
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
