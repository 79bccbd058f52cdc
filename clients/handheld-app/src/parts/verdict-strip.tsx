import { plainValue } from '../../../../base/scanned-text.ts';
import { Icon } from '../../../ui/parts/icon.tsx';
import type { Notice } from '../app/announcer.ts';
import { verdictOf } from '../feedback/verdict.ts';
import type { ShownScan } from '../queue/queue.ts';
import { texts } from '../texts/texts.ts';
import { titleOf } from './titles.ts';

export function VerdictStrip(props: { shown: ShownScan | undefined; notice: Notice | null }) {
  return (
    <div class="latest" role="status" aria-live="assertive">
      <Strip {...props} />
    </div>
  );
}

function Strip({ shown, notice }: { shown: ShownScan | undefined; notice: Notice | null }) {
  if (notice !== null) {
    return (
      <div class="tag-flat tone-problem">
        <Icon name="problem" />
        <span class="tag-flat-title">{notice.title}</span>
        <span class="tag-flat-word">{notice.says}</span>
      </div>
    );
  }
  if (shown === undefined) {
    return (
      <div class="tag-flat tone-empty">
        <Icon name="scan" />
        <span class="tag-flat-title">{texts.value.scan.scanAll}</span>
        <span class="tag-flat-word">{texts.value.scan.anyTime}</span>
      </div>
    );
  }
  const { tone, word } = verdictOf(shown);
  return (
    <div
      class={`tag-flat tone-${tone}`}
      key={shown.scan.seq}
      data-verdict={tone}
      data-latest={plainValue(shown.scan.value)}
    >
      <Icon name={tone} />
      <span class="tag-flat-title">{titleOf(shown)}</span>
      <span class="tag-flat-word">{word}</span>
    </div>
  );
}
