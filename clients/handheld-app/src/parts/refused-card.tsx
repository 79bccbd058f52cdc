import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import type { StoredSubmission } from '../storage/database.ts';
import { texts } from '../texts/texts.ts';
import { timeOf } from './titles.ts';

/** A submission that the gateway refuses: the reason, and what the user can do. */
export function RefusedCard({ refused }: { refused: StoredSubmission }) {
  const app = useApp();
  const said = texts.value.history;
  const [isSure, setSure] = useState(false);
  const { submission, reason } = refused;
  const here = app.walking.now.value.place;
  const { tree } = app.places;
  // What was at a place that was deleted since can only be sent from another one.
  const isGone = submission.location !== undefined && tree.value.get(submission.location.id) === undefined;
  const instead = isGone ? here : null;
  const first = submission.scans[0];
  return (
    <section class="refused-card" aria-label={said.refusedScans}>
      <h2>
        <Icon name="refused" />
        {said.refused(texts.value.counts.scans(submission.scans.length))}
      </h2>
      <p class="refused-reason">{reason}</p>
      <p class="hint">
        {said.keptHere(first === undefined ? '' : timeOf(first.observed_at))}
        {isGone && said.placeGone}
      </p>
      <div class="pair">
        {isGone && instead === null ? (
          <a class="secondary" href="#place">
            {said.choosePlace}
          </a>
        ) : (
          <button
            type="button"
            class="secondary"
            onClick={() => void app.refused.sendAgain(refused.submission_id, instead)}
          >
            {instead === null ? said.sendAgain : said.sendAgainAt(instead.name)}
          </button>
        )}
        <button
          type="button"
          class="danger"
          onClick={() => (isSure ? void app.refused.discard(refused.submission_id) : setSure(true))}
        >
          {isSure ? said.yesDiscard : said.discard}
        </button>
      </div>
    </section>
  );
}
