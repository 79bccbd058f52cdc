import type { ShownScan } from '../queue/queue.ts';
import type { StoredScan } from '../storage/scan.ts';
import { texts } from '../texts/texts.ts';
import type { Cue } from './sounds.ts';

/** How a scan is shown: colour and icon (`tone`), a word, a sentence. */
export interface Verdict {
  tone: 'queued' | 'moved' | 'seen' | 'place' | 'problem' | 'refused' | 'undone';
  word: string;
  says: string;
}

function told(tone: Verdict['tone'], [word, says]: readonly [string, string]): Verdict {
  return { tone, word, says };
}

export function verdictOf({ scan, known }: ShownScan): Verdict {
  const undone = takenBack(scan);
  if (undone !== null) {
    return undone;
  }
  if (scan.state === 'held') {
    return checked(scan);
  }
  if (scan.state === 'refused') {
    return told('refused', texts.value.verdict.refused);
  }
  return scan.result === null ? unanswered({ scan, known }) : answered(scan);
}

/** In a sweep that only checks. */
function checked({ result, place, sets }: StoredScan): Verdict {
  if (sets !== null) {
    return told('place', texts.value.verdict.nothingMoves);
  }
  if (result?.status === 'unknown') {
    return told('problem', texts.value.verdict.checkedUnknown);
  }
  const isElsewhere = result?.asset != null && result.location?.id !== place?.id;
  return isElsewhere
    ? {
        tone: 'problem',
        word: texts.value.verdict.elsewhere,
        says: texts.value.verdict.elsewhereAt(result?.location?.name),
      }
    : told('seen', texts.value.verdict.checked);
}

function takenBack({ state, undo }: StoredScan): Verdict | null {
  if (state === 'withdrawn') {
    return told('undone', texts.value.verdict.withdrawn);
  }
  switch (undo?.state) {
    case 'asked':
      return told('undone', texts.value.verdict.toBeTakenBack);
    case 'done':
      return told('undone', texts.value.verdict.takenBack);
    case 'refused':
      return { tone: 'problem', word: texts.value.verdict.notTakenBack, says: undo?.reason ?? '' };
    default:
      return null;
  }
}

function unanswered({ scan, known }: ShownScan): Verdict {
  if (scan.sets !== null) {
    return told('place', texts.value.verdict.setsPlace);
  }
  if (scan.place === null) {
    return told('problem', texts.value.verdict.noPlaceYet);
  }
  const elsewhere = known?.place != null && known.place.id !== scan.place.id;
  if (elsewhere) {
    return {
      tone: 'queued',
      word: texts.value.verdict.kept[0],
      says: texts.value.verdict.belongsTo(known.place?.name),
    };
  }
  return told('queued', texts.value.verdict.kept);
}

function answered({ result, place, sweep }: StoredScan): Verdict {
  const at = result?.location?.name ?? place?.name ?? texts.value.verdict.here;
  // A walk goes on where the gateway says; a sweep stays where it is.
  if (sweep !== null && result?.location != null && result.location.id !== place?.id) {
    return {
      tone: 'problem',
      word: texts.value.verdict.recordedElsewhere,
      says: texts.value.verdict.recordedAt(at, place?.name),
    };
  }
  switch (result?.status) {
    case 'moved':
      return {
        tone: 'moved',
        word: texts.value.verdict.moved,
        says:
          result.from === null
            ? texts.value.verdict.firstTime(at)
            : texts.value.verdict.fromTo(result.from.name, at),
      };
    case 'seen':
      return { tone: 'seen', word: texts.value.verdict.seen, says: texts.value.verdict.seenAt(at) };
    case 'duplicate':
      return told('seen', texts.value.verdict.duplicate);
    case 'location':
      return told('place', texts.value.verdict.location);
    case 'ambiguous':
      return told('problem', texts.value.verdict.ambiguous);
    case 'no_location':
      return told('problem', texts.value.verdict.noLocation);
    case 'too_late':
      return told('problem', texts.value.verdict.tooLate);
    case 'unusable':
      return told('problem', texts.value.verdict.unusable);
    case 'unknown':
      return told('problem', texts.value.verdict.unknown);
    default:
      return {
        tone: 'problem',
        word: texts.value.verdict.notClear,
        says: texts.value.verdict.gatewaySays(result?.status),
      };
  }
}

const CUES: Record<Verdict['tone'], Cue> = {
  queued: 'taken',
  moved: 'good',
  seen: 'same',
  place: 'place',
  problem: 'problem',
  refused: 'refused',
  undone: 'same',
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
