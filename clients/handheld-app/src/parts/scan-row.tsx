import { Icon } from '../../../ui/parts/icon.tsx';
import { verdictOf } from '../feedback/verdict.ts';
import type { Fold } from '../queue/folded.ts';
import { isUndone } from '../storage/scan.ts';
import { AssetLink } from './asset-link.tsx';
import { assetOf, timeOf, titleOf } from './titles.ts';
import { UndoButton } from './undo-button.tsx';

export function ScanRow({ fold }: { fold: Fold }) {
  const { shown, scans } = fold;
  const { tone, word } = verdictOf(shown);
  const { scan } = shown;
  const asset = assetOf(shown);
  const place = scan.result?.location?.name ?? scan.place?.name;
  return (
    <li class="row" data-scan={scan.value}>
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
