import { useState } from 'preact/hooks';
import { useApp } from '../app/app-context.ts';
import type { StoredSubmission } from '../storage/database.ts';
import { Icon } from './icon.tsx';
import { counted, timeOf } from './titles.ts';

/** A submission that the gateway refuses: the reason, and what the user can do. */
export function RefusedCard({ refused }: { refused: StoredSubmission }) {
  const app = useApp();
  const [isSure, setSure] = useState(false);
  const { submission, reason } = refused;
  const here = app.walking.now.value.place;
  const { tree } = app.places;
  // What was at a place that was deleted since can only be sent from another one.
  const isGone = submission.location !== undefined && tree.value.get(submission.location.id) === undefined;
  const instead = isGone ? here : null;
  const first = submission.scans[0];
  return (
    <section class="refused-card" aria-label="Refused scans">
      <h2>
        <Icon name="refused" />
        {counted(submission.scans.length, 'scan')} refused
      </h2>
      <p class="refused-reason">{reason}</p>
      <p class="hint">
        From {first === undefined ? '' : timeOf(first.observed_at)} on. They are kept here until you decide.
        {isGone && ' Their place is gone: choose where you are, and send them from there.'}
      </p>
      <div class="pair">
        {isGone && instead === null ? (
          <a class="secondary" href="#place">
            Choose a place
          </a>
        ) : (
          <button
            type="button"
            class="secondary"
            onClick={() => void app.sendAgain(refused.submission_id, instead)}
          >
            {instead === null ? 'Send again' : `Send again, at ${instead.name}`}
          </button>
        )}
        <button
          type="button"
          class="danger"
          onClick={() => (isSure ? void app.discard(refused.submission_id) : setSure(true))}
        >
          {isSure ? 'Yes, discard' : 'Discard'}
        </button>
      </div>
    </section>
  );
}
