import type { IconName } from '../../../ui/parts/icon.tsx';
import type { SweepOutcome } from '../sweep/outcome.ts';
import type { Sweep } from '../sweep/sweep.ts';
import { texts } from '../texts/texts.ts';
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
  const check = toCheck.length === 0 ? '' : texts.value.outcome.toCheck(toCheck.length);
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
  const said = texts.value.outcome;
  if (list === 'gone') {
    return said.gone;
  }
  if (expected === null) {
    return said.notKnown;
  }
  if (missing.length > 0) {
    return said.missing(missing.length, expected);
  }
  if (expected === 0) {
    return said.nothingExpected;
  }
  return found.length === expected ? said.allHere(expected) : said.someHere(found.length, expected);
}

/** A note on the age of the list; null if it was fetched at the start of the sweep. */
export function noteOfList({ expected, fetched_at, list }: Sweep): string | null {
  const said = texts.value.outcome;
  switch (list) {
    case 'asked':
    case 'during':
      return null;
    case 'awaited':
      return fetched_at === null ? said.asked : said.askedWithList(momentOf(fetched_at));
    case 'gone':
      return said.deleted;
    case 'later':
      return said.later(momentOf(fetched_at ?? ''));
    default:
      break;
  }
  if (expected === null || fetched_at === null) {
    return said.noList;
  }
  return list === 'earlier' ? said.earlier(momentOf(fetched_at)) : null;
}
