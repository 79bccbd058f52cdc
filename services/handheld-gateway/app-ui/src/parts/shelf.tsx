import { useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { Icon, type IconName } from './icon.tsx';

type Kind = 'found' | 'movedHere' | 'missing' | 'unknown';

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
];

interface Line {
  key: string;
  title: string;
  sub: string;
}

/** The four heaps of a sweep: how many are in each, and what is in the chosen one. */
export function Shelf({ isOver }: { isOver: boolean }) {
  const { sweeping } = useApp();
  const outcome = sweeping.outcome.value;
  // While one sweeps, what is still to be found helps most; and so it does afterwards.
  const [chosen, setChosen] = useState<Kind>('missing');
  const heap = HEAPS.find(({ kind }) => kind === chosen);
  const lines = linesOf(outcome, chosen);
  // What is still to be found is no loss yet.
  const wordOf = (of: Pick<Heap, 'kind' | 'word'> | undefined) =>
    of?.kind === 'missing' && !isOver ? 'To find' : of?.word;
  const toneOf = (kind: Kind, tone: string) => (kind === 'missing' && !isOver ? 'queued' : tone);
  return (
    <div class="shelf">
      <div class="heaps">
        {HEAPS.map(({ kind, word, tone, icon }) => (
          <button
            key={kind}
            type="button"
            aria-pressed={kind === chosen}
            class={`heap tone-${toneOf(kind, tone)}`}
            onClick={() => setChosen(kind)}
          >
            <span class="heap-count">{outcome[kind].length}</span>
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
              <span class="row-sub">{sub}</span>
            </span>
          </li>
        ))}
        {lines.length === 0 && <li class="row row-none">{EMPTY[chosen]}</li>}
      </ul>
    </div>
  );
}

const EMPTY: Record<Kind, string> = {
  found: 'Nothing that should be here was scanned yet.',
  movedHere: 'Nothing from elsewhere was scanned here.',
  missing: 'Nothing is missing.',
  unknown: 'Every tag belongs to something.',
};

const WHY = {
  unknown: 'No asset has this tag',
  ambiguous: 'More than one tag matches',
  pending: 'Not known on this device: to be sent',
  unrecorded: 'Not recorded: see History',
} as const;

function linesOf(outcome: ReturnType<typeof useApp>['sweeping']['outcome']['value'], kind: Kind): Line[] {
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
  }
}
