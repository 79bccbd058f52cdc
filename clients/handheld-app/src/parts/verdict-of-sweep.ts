import type { SweepOutcome } from '../sweep/outcome.ts';
import type { Sweep } from '../sweep/sweep.ts';
import type { IconName } from './icon.tsx';
import { momentOf } from './titles.ts';

/** A finished sweep in words for the user. Unknowns are named, and then nothing counts as fine. */
export interface SweepVerdict {
  tone: 'moved' | 'queued' | 'problem';
  icon: IconName;
  title: string;
  /** About the list it is compared with; null if there is nothing to say. */
  says: string | null;
}

/** @param expected number of assets that should be there; null if unknown. */
export function verdictOfSweep(sweep: Sweep, expected: number | null, outcome: SweepOutcome): SweepVerdict {
  const { missing, toCheck } = outcome;
  const check = toCheck.length === 0 ? '' : `, ${toCheck.length} to check`;
  const title = presence(sweep.list, expected, outcome) + check;
  const says = noteOfList(sweep);
  if (expected === null || sweep.list === 'gone' || missing.length > 0 || toCheck.length > 0) {
    return { tone: 'problem', icon: 'problem', title, says };
  }
  return sweep.list === 'earlier' || sweep.list === 'awaited'
    ? { tone: 'queued', icon: 'queued', title, says }
    : { tone: 'moved', icon: 'check', title, says };
}

function presence(list: Sweep['list'], expected: number | null, { found, missing }: SweepOutcome): string {
  if (list === 'gone') {
    return 'This place is not there any more';
  }
  if (expected === null) {
    return 'What should be here is not known';
  }
  if (missing.length > 0) {
    return `${missing.length} of ${expected} missing`;
  }
  if (expected === 0) {
    return 'Nothing was expected here';
  }
  return found.length === expected ? `All ${expected} are here` : `${found.length} of ${expected} are here`;
}

/** A note on the age of the list; null if it was fetched at the start of the sweep. */
export function noteOfList({ expected, fetched_at, list }: Sweep): string | null {
  switch (list) {
    case 'asked':
    case 'during':
      return null;
    case 'awaited':
      return fetched_at === null
        ? 'What should be here is being asked for. What is missing is told when it comes.'
        : `This goes by the list of ${momentOf(fetched_at)}, until the new one comes that was asked for`;
    case 'gone':
      return 'Somebody has deleted this place, so that nobody can say what should be here.';
    case 'later':
      return `Compared with what should be here as of ${momentOf(fetched_at ?? '')}, when the network was back`;
    default:
      break;
  }
  if (expected === null || fetched_at === null) {
    return 'There was no network, and no list of what should be here. What is missing is told once there is one.';
  }
  return list === 'earlier'
    ? `There was no network. This goes by the list of ${momentOf(fetched_at)}, until there is a newer one`
    : null;
}
