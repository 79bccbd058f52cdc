import { plainValue } from '../../../../base/scanned-text.ts';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { verdictOf } from '../feedback/verdict.ts';
import { type Fold, undoableIn } from '../queue/folded.ts';
import { isUndone } from '../storage/scan.ts';
import { texts } from '../texts/texts.ts';
import { AssetLink } from './asset-link.tsx';
import { assetOf, timeOf, titleOf } from './titles.ts';

export function ScanRow({ fold }: { fold: Fold }) {
  const { shown, scans } = fold;
  const { tone, word } = verdictOf(shown);
  const { scan } = shown;
  const asset = assetOf(shown);
  const place = scan.result?.location?.name ?? scan.place?.name;
  return (
    <li class="row" data-scan={plainValue(scan.value)}>
      <AssetLink asset={asset}>
        <span class={`dot tone-${tone}`}>
          <Icon name={tone} />
        </span>
        <span class="row-text">
          <span class={`row-title ${isUndone(scan) ? 'row-undone' : ''}`}>{titleOf(shown)}</span>
          <span class="row-sub">
            {word}
            {scans.length > 1 && ` × ${scans.length}`}
            {place !== undefined && tone !== 'place' && ` · ${place}`}
          </span>
          {asset !== null && <span class="row-sub mono">{asset.external_key}</span>}
        </span>
      </AssetLink>
      <time class="row-time" dateTime={scan.observed_at}>
        {timeOf(scan.observed_at)}
      </time>
      <UndoButton fold={fold} />
    </li>
  );
}

/** Takes a scan back, with its repeats: one of them alone would change nothing. */
export function UndoButton({ fold, isPlain = false }: { fold: Fold; isPlain?: boolean }) {
  const { undoing } = useApp();
  const scans = undoableIn(fold);
  if (scans.length === 0) {
    return null;
  }
  return (
    <button
      type="button"
      class={isPlain ? 'tag-undo' : 'round undo'}
      aria-label={isPlain ? undefined : texts.value.scan.undoOf(titleOf(fold.shown))}
      onClick={() => void undoing.takeBack(scans)}
    >
      <Icon name="undone" />
      {isPlain && texts.value.scan.undo}
    </button>
  );
}
