import { useState } from 'preact/hooks';
import { useApp } from '../app/app-context.ts';
import type { SweepOutcome, SweptToCheck } from '../sweep/outcome.ts';
import { Icon, type IconName } from './icon.tsx';

type Kind = keyof SweepOutcome;

interface Heap {
  kind: Kind;
  word: string;
  tone: string;
  icon: IconName;
  means: string;
}

export const HEAPS: readonly Heap[] = [
  { kind: 'found', word: 'Found', tone: 'seen', icon: 'check', means: 'It should be here, and is.' },
  {
    kind: 'movedHere',
    word: 'Moved here',
    tone: 'moved',
    icon: 'moved',
    means: 'It was elsewhere. From now on it is here.',
  },
  {
    kind: 'missing',
    word: 'Missing',
    tone: 'refused',
    icon: 'missing',
    means: 'It should be here, and was not scanned.',
  },
  { kind: 'unknown', word: 'Unknown', tone: 'problem', icon: 'problem', means: 'No asset has this tag.' },
  {
    kind: 'toCheck',
    word: 'To check',
    tone: 'place',
    icon: 'place',
    means: 'It was scanned, but may not be recorded here.',
  },
];

interface Line {
  key: string;
  title: string;
  sub: string;
}

/** The groups of a sweep with their counts, and the chosen one's rows. */
export function Shelf({ isOver }: { isOver: boolean }) {
  const { sweeping } = useApp();
  const outcome = sweeping.outcome.value;
  const isListKnown = sweeping.expectedCount.value !== null;
  // While one sweeps, what is still to be found helps most; and so it does afterwards.
  const [chosen, setChosen] = useState<Kind>('missing');
  // There is seldom something to check.
  const heaps = HEAPS.filter(({ kind }) => kind !== 'toCheck' || outcome.toCheck.length > 0);
  const heap = heaps.find(({ kind }) => kind === chosen);
  const lines = linesOf(outcome, chosen);
  // What is still to be found is no loss yet.
  const wordOf = (of: Pick<Heap, 'kind' | 'word'> | undefined) =>
    of?.kind === 'missing' && !isOver ? 'To find' : of?.word;
  const toneOf = (kind: Kind, tone: string) => (kind === 'missing' && !isOver ? 'queued' : tone);
  return (
    <div class="shelf">
      <div class="heaps">
        {heaps.map(({ kind, word, tone, icon }) => (
          <button
            key={kind}
            type="button"
            aria-pressed={kind === chosen}
            class={`heap ${kind === 'toCheck' ? 'heap-wide' : ''} tone-${toneOf(kind, tone)}`}
            onClick={() => setChosen(kind)}
          >
            <span class="heap-count">
              {kind === 'missing' && !isListKnown ? <NotKnown /> : outcome[kind].length}
            </span>
            <span class="heap-word">
              <Icon name={icon} />
              {wordOf({ kind, word })}
            </span>
          </button>
        ))}
      </div>
      <ul class="rows" aria-label={wordOf(heap)}>
        {lines.map(({ key, title, sub }) => (
          <li class="row" key={key}>
            <span class={`dot tone-${toneOf(chosen, heap?.tone ?? '')}`}>
              <Icon name={heap?.icon ?? 'check'} />
            </span>
            <span class="row-text">
              <span class="row-title">{title}</span>
              <span class={`row-sub ${chosen === 'toCheck' ? 'row-sub-long' : ''}`}>{sub}</span>
            </span>
          </li>
        ))}
        {lines.length === 0 && (
          <li class="row row-none">
            {chosen === 'missing' && !isListKnown ? 'What should be here is not known.' : EMPTY[chosen]}
          </li>
        )}
      </ul>
    </div>
  );
}

function NotKnown() {
  return (
    <>
      <span aria-hidden="true">?</span>
      <span class="unseen">Not known</span>
    </>
  );
}

const EMPTY: Record<Kind, string> = {
  found: 'Nothing that should be here was scanned yet.',
  movedHere: 'Nothing from elsewhere was scanned here.',
  missing: 'Nothing is missing.',
  unknown: 'Every tag belongs to something.',
  toCheck: 'Nothing is left to check.',
};

const WHY = {
  unknown: 'No asset has this tag',
  ambiguous: 'More than one tag matches',
  pending: 'Not known on this device: to be sent',
  unrecorded: 'Not recorded: see History',
} as const;

function toCheck({ what, why, at }: SweptToCheck): string {
  switch (why) {
    case 'place':
      return 'The tag of this place was scanned. What came next counted there.';
    case 'recorded':
      return `${what.external_key} · recorded at ${at}. Scan it again if it is here.`;
    case 'seen':
      return `${what.external_key} · seen, not moved: it was here already, or went elsewhere since. Scan it again if it is here.`;
  }
}

function linesOf(outcome: SweepOutcome, kind: Kind): Line[] {
  switch (kind) {
    case 'found':
    case 'movedHere':
      return outcome[kind].map(({ asset, from, isPending }) => ({
        key: `${asset.id}`,
        title: asset.name,
        sub: [asset.external_key, from === null ? '' : `from ${from}`, isPending ? 'to be sent' : '']
          .filter(Boolean)
          .join(' · '),
      }));
    case 'missing':
      return outcome.missing.map(({ id, name, external_key }) => ({
        key: `${id}`,
        title: name,
        sub: external_key,
      }));
    case 'unknown':
      return outcome.unknown.map(({ tag_type, value, why }) => ({
        key: `${tag_type}:${value}`,
        title: value,
        sub: WHY[why],
      }));
    case 'toCheck':
      return outcome.toCheck.map((line) => ({
        key: `${line.why === 'place' ? 'place' : 'asset'}:${line.what.id}`,
        title: line.what.name,
        sub: toCheck(line),
      }));
  }
}
