import { verdictOf } from '../feedback/verdict.ts';
import type { ShownScan } from '../queue/queue.ts';
import { Icon } from './icon.tsx';
import { timeOf, titleOf } from './titles.ts';

export function ScanRow({ shown }: { shown: ShownScan }) {
  const { tone, word } = verdictOf(shown);
  const { scan } = shown;
  const place = scan.result?.location?.name ?? scan.place?.name;
  return (
    <li class="row" data-scan={scan.value}>
      <span class={`dot tone-${tone}`}>
        <Icon name={tone} />
      </span>
      <span class="row-text">
        <span class="row-title">{titleOf(shown)}</span>
        <span class="row-sub">
          {word}
          {place !== undefined && tone !== 'place' && ` · ${place}`}
        </span>
      </span>
      <time class="row-time" dateTime={scan.observed_at}>
        {timeOf(scan.observed_at)}
      </time>
    </li>
  );
}
