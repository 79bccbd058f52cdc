import type { Notice } from '../app/announcer.ts';
import { verdictOf } from '../feedback/verdict.ts';
import type { ShownScan } from '../queue/queue.ts';
import { Icon } from './icon.tsx';
import { titleOf } from './titles.ts';

export function VerdictCard(props: { shown: ShownScan | undefined; notice: Notice | null }) {
  return (
    <div class="latest" role="status" aria-live="assertive">
      <Card {...props} />
    </div>
  );
}

function Card({ shown, notice }: { shown: ShownScan | undefined; notice: Notice | null }) {
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
          Ready
        </p>
        <p class="tag-title">Scan a tag</p>
        <p class="tag-says">Pull the trigger at any time. Scan the tag of a place to say where you are.</p>
      </div>
    );
  }
  const verdict = verdictOf(shown);
  const { scan } = shown;
  const title = titleOf(shown);
  return (
    // A new scan is a new card: it comes in anew.
    <div
      class={`tag tone-${verdict.tone}`}
      key={scan.seq}
      data-verdict={verdict.tone}
      data-latest={scan.value}
    >
      <p class="tag-word">
        <Icon name={verdict.tone} />
        {verdict.word}
      </p>
      <p class={`tag-title ${title === scan.value ? 'tag-title-value' : ''}`}>{title}</p>
      <p class="tag-says">{verdict.says}</p>
      <p class="tag-value mono">
        <span class="tag-type">{scan.tag_type}</span> {title === scan.value ? '' : scan.value}
      </p>
    </div>
  );
}
