import type { ShownScan } from '../queue/queue.ts';
import type { StoredScan } from '../storage/scan.ts';
import type { Cue } from './sounds.ts';

/** How a scan is shown: colour and icon (`tone`), a word, a sentence. */
export interface Verdict {
  tone: 'queued' | 'moved' | 'seen' | 'place' | 'problem' | 'refused';
  word: string;
  says: string;
}

export function verdictOf({ scan, known }: ShownScan): Verdict {
  if (scan.state === 'refused') {
    return { tone: 'refused', word: 'Refused', says: 'The gateway did not take it. See History.' };
  }
  return scan.result === null ? unanswered({ scan, known }) : answered(scan);
}

function unanswered({ scan, known }: ShownScan): Verdict {
  if (scan.sets !== null) {
    return { tone: 'place', word: 'You are here', says: 'Scans from now on count here.' };
  }
  if (scan.place === null) {
    return { tone: 'problem', word: 'No place yet', says: 'Kept on this device. Choose where you are.' };
  }
  const elsewhere = known?.place != null && known.place.id !== scan.place.id;
  if (elsewhere) {
    return { tone: 'queued', word: 'Kept', says: `Belongs to ${known.place?.name}. To be moved here.` };
  }
  return { tone: 'queued', word: 'Kept', says: 'On this device, to be sent.' };
}

function answered({ result, place, sweep }: StoredScan): Verdict {
  const at = result?.location?.name ?? place?.name ?? 'here';
  // A walk goes on where the gateway says; a sweep stays where it is.
  if (sweep !== null && result?.location != null && result.location.id !== place?.id) {
    return {
      tone: 'problem',
      word: 'Recorded elsewhere',
      says: `Recorded at ${at}, not at ${place?.name ?? 'the place of the sweep'}.`,
    };
  }
  switch (result?.status) {
    case 'moved':
      return {
        tone: 'moved',
        word: 'Moved here',
        says:
          result.from === null ? `Seen for the first time, at ${at}.` : `From ${result.from.name} to ${at}.`,
      };
    case 'seen':
      return { tone: 'seen', word: 'Seen', says: `Seen at ${at}. Nothing to move.` };
    case 'duplicate':
      return { tone: 'seen', word: 'Known', says: 'This scan was recorded before.' };
    case 'location':
      return { tone: 'place', word: 'You are here', says: 'Scans after it count here.' };
    case 'ambiguous':
      return { tone: 'problem', word: 'Ambiguous', says: 'More than one tag matches. Nothing was moved.' };
    case 'no_location':
      return {
        tone: 'problem',
        word: 'No place',
        says: 'Not recorded. Choose where you are, then scan it again.',
      };
    case 'too_late':
      return { tone: 'problem', word: 'Too late', says: 'It waited too long to be sent. Scan it again.' };
    case 'unusable':
      return { tone: 'problem', word: 'Not a tag', says: 'It looks like a token, and was not recorded.' };
    case 'unknown':
      return {
        tone: 'problem',
        word: 'Unknown tag',
        says: 'No asset has this tag. It is listed for the office.',
      };
    default:
      return { tone: 'problem', word: 'Not clear', says: `The gateway says “${result?.status}”.` };
  }
}

const CUES: Record<Verdict['tone'], Cue> = {
  queued: 'taken',
  moved: 'good',
  seen: 'same',
  place: 'place',
  problem: 'problem',
  refused: 'refused',
};

/** One sound for scans answered together; a problem always prevails. */
export function cueOf(verdicts: readonly Verdict[]): Cue | null {
  return first(['refused', 'problem', 'moved', 'seen'], verdicts);
}

/** One sound for scans stored together. */
export function storedCueOf(verdicts: readonly Verdict[]): Cue | null {
  return first(['problem', 'place', 'queued'], verdicts);
}

function first(order: readonly Verdict['tone'][], verdicts: readonly Verdict[]): Cue | null {
  const found = order.find((tone) => verdicts.some((verdict) => verdict.tone === tone));
  return found === undefined ? null : CUES[found];
}
