import type { ComponentChildren } from 'preact';
import { plainValue } from '../../../../base/scanned-text.ts';
import { Icon } from '../../../ui/parts/icon.tsx';
import type { Notice } from '../app/announcer.ts';
import { verdictOf } from '../feedback/verdict.ts';
import type { ShownScan } from '../queue/queue.ts';
import { texts } from '../texts/texts.ts';
import { titleOf } from './titles.ts';

export function VerdictCard(props: {
  shown: ShownScan | undefined;
  notice: Notice | null;
  children?: ComponentChildren;
}) {
  return (
    <div class="latest" role="status" aria-live="assertive">
      <Card {...props} />
    </div>
  );
}

function Card({ shown, notice, children }: Parameters<typeof VerdictCard>[0]) {
  if (notice !== null) {
    return (
      <div class="tag tone-problem">
        <p class="tag-word">
          <Icon name="problem" />
          {notice.word}
        </p>
        <p class="tag-title">{notice.title}</p>
        <p class="tag-says">{notice.says}</p>
      </div>
    );
  }
  if (shown === undefined) {
    return (
      <div class="tag tone-empty">
        <p class="tag-word">
          <Icon name="scan" />
          {texts.value.scan.ready}
        </p>
        <p class="tag-title">{texts.value.scan.scanATag}</p>
        <p class="tag-says">{texts.value.scan.hint}</p>
      </div>
    );
  }
  const verdict = verdictOf(shown);
  const { scan } = shown;
  const title = titleOf(shown);
  const value = plainValue(scan.value);
  return (
    // A new scan is a new card, which slides in.
    <div class={`tag tone-${verdict.tone}`} key={scan.seq} data-verdict={verdict.tone} data-latest={value}>
      <p class="tag-word">
        <Icon name={verdict.tone} />
        {verdict.word}
      </p>
      <p class={`tag-title ${title === value ? 'tag-title-value' : ''}`}>{title}</p>
      <p class="tag-says">{verdict.says}</p>
      <p class="tag-value mono">
        <span class="tag-type">{scan.tag_type}</span> {title === value ? '' : value}
      </p>
      {children}
    </div>
  );
}
