import { useState } from 'preact/hooks';
import { plainValue } from '../../../../base/scanned-text.ts';
import { Icon, type IconName } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import type { SweepOutcome, SweptToCheck } from '../sweep/outcome.ts';
import { texts } from '../texts/texts.ts';
import { AssetLink } from './asset-link.tsx';

type Kind = keyof SweepOutcome;

interface Heap {
  kind: Kind;
  tone: string;
  icon: IconName;
}

export const HEAPS: readonly Heap[] = [
  { kind: 'found', tone: 'seen', icon: 'check' },
  { kind: 'movedHere', tone: 'moved', icon: 'moved' },
  { kind: 'elsewhere', tone: 'problem', icon: 'place' },
  { kind: 'missing', tone: 'refused', icon: 'missing' },
  { kind: 'unknown', tone: 'problem', icon: 'problem' },
  { kind: 'toCheck', tone: 'place', icon: 'place' },
];

interface Line {
  key: string;
  asset: { id: number } | null;
  title: string;
  sub: string;
}

/** The groups of a sweep with their counts, and the chosen one's rows. */
export function Shelf({ isOver }: { isOver: boolean }) {
  const { sweeping, sweeps } = useApp();
  const said = texts.value.sweep;
  const outcome = sweeping.outcome.value;
  const isListKnown = sweeping.expectedCount.value !== null;
  // While one sweeps, what is still to be found helps most; and so it does afterwards.
  const [chosen, setChosen] = useState<Kind>('missing');
  // There is seldom something to check.
  const heaps = HEAPS.filter(({ kind }) => isShown(kind, outcome, sweeping.now.value?.isCheck === true));
  const heap = heaps.find(({ kind }) => kind === chosen);
  const lines = linesOf(outcome, chosen);
  // Assets that are still to be found are no loss yet.
  const wordOf = (kind: Kind) => (kind === 'missing' && !isOver ? said.toFind : texts.value.heaps[kind].word);
  const toneOf = (kind: Kind, tone: string) => (kind === 'missing' && !isOver ? 'queued' : tone);
  return (
    <div class="shelf">
      <div class="heaps">
        {heaps.map(({ kind, tone, icon }) => (
          <button
            key={kind}
            type="button"
            aria-pressed={kind === chosen}
            class={`heap ${kind === 'toCheck' || (kind === 'movedHere' && heaps.length === 5) ? 'heap-wide' : ''} tone-${toneOf(kind, tone)}`}
            onClick={() => setChosen(kind)}
          >
            <span class="heap-count">
              {kind === 'missing' && !isListKnown ? <NotKnown /> : outcome[kind].length}
            </span>
            <span class="heap-word">
              <Icon name={icon} />
              {wordOf(kind)}
            </span>
          </button>
        ))}
      </div>
      {chosen === 'elsewhere' && lines.length > 0 && (
        <button type="button" class="secondary" onClick={() => void sweeps.moveHere()}>
          <Icon name="moved" />
          {said.moveThese}
        </button>
      )}
      <ul class="rows" aria-label={wordOf(chosen)}>
        {lines.map(({ key, asset, title, sub }) => (
          <li class="row" key={key}>
            <AssetLink asset={asset}>
              <span class={`dot tone-${toneOf(chosen, heap?.tone ?? '')}`}>
                <Icon name={heap?.icon ?? 'check'} />
              </span>
              <span class="row-text">
                <span class="row-title">{title}</span>
                <span class={`row-sub ${chosen === 'toCheck' ? 'row-sub-long' : ''}`}>{sub}</span>
              </span>
            </AssetLink>
          </li>
        ))}
        {lines.length === 0 && (
          <li class="row row-none">
            {chosen === 'missing' && !isListKnown ? said.shouldBeNotKnown : texts.value.heaps[chosen].empty}
          </li>
        )}
      </ul>
    </div>
  );
}

/** A sweep that only checks has nothing that moved, unless the user said so. */
export function isShown(kind: Kind, outcome: SweepOutcome, isCheck: boolean): boolean {
  switch (kind) {
    case 'toCheck':
      return outcome.toCheck.length > 0;
    case 'movedHere':
      return !isCheck || outcome.movedHere.length > 0;
    case 'elsewhere':
      return isCheck;
    default:
      return true;
  }
}

function NotKnown() {
  return (
    <>
      <span aria-hidden="true">?</span>
      <span class="unseen">{texts.value.sweep.notKnown}</span>
    </>
  );
}

function toCheck({ what, why, at }: SweptToCheck): string {
  const { check } = texts.value.sweep;
  switch (why) {
    case 'place':
      return check.place;
    case 'recorded':
      return check.recorded(what.external_key, at);
    case 'seen':
      return check.seen(what.external_key);
  }
}

function linesOf(outcome: SweepOutcome, kind: Kind): Line[] {
  const said = texts.value.sweep;
  switch (kind) {
    case 'found':
    case 'movedHere':
    case 'elsewhere':
      return outcome[kind].map(({ asset, from, isPending }) => ({
        key: `${asset.id}`,
        asset,
        title: asset.name,
        sub: [asset.external_key, from === null ? '' : said.from(from), isPending ? said.toBeSent : '']
          .filter(Boolean)
          .join(' · '),
      }));
    case 'missing':
      return outcome.missing.map(({ id, name, external_key }) => ({
        key: `${id}`,
        asset: { id },
        title: name,
        sub: external_key,
      }));
    case 'unknown':
      return outcome.unknown.map(({ tag_type, value, why }) => ({
        key: `${tag_type}:${value}`,
        asset: null,
        title: plainValue(value),
        sub: said.why[why],
      }));
    case 'toCheck':
      return outcome.toCheck.map((line) => ({
        key: `${line.why === 'place' ? 'place' : 'asset'}:${line.what.id}`,
        asset: line.why === 'place' ? null : line.what,
        title: line.what.name,
        sub: toCheck(line),
      }));
  }
}
