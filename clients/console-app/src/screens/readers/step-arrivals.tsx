import { type Arrivals, NO_FORMAT, type Reader } from '../../api/reader.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';

/** What comes from the reader, byte for byte, as it comes. */
export function StepArrivals({
  reader,
  reload,
  onNext,
}: {
  reader: Reader;
  reload: () => void;
  onNext: () => void;
}) {
  const t = texts.value.readers;
  const arrivals = useRead<{ data: Arrivals }>(`/readers/${reader.id}/arrivals`);
  useRepeat(() => {
    arrivals.reload();
    reload();
  }, 2_000);
  const messages = arrivals.answer?.data.messages ?? [];
  const hasReads = reader.counters.reads > 0;
  return (
    <section class="card stack" aria-label={t.steps.arrivals} aria-live="polite">
      {messages.length === 0 && !hasReads && (
        <EmptyState
          icon="reader"
          title={t.waiting}
          hint={reader.connected_at === null ? t.waitingHint : t.waitingConnected}
        />
      )}
      {hasReads && reader.format !== NO_FORMAT && (
        <p class="note note-seen">{t.isRead(reader.counters.reads)}</p>
      )}
      {messages.map((message) => (
        <article key={message.id} class="arrival">
          <p class="hint">
            <Instant at={message.received_at} /> · <span class="mono">{message.topic}</span> ·{' '}
            {t.bytes(message.size)}
            {!message.is_text && ` · ${t.notText}`}
          </p>
          <pre class="mono">{message.payload.slice(0, 2_000)}</pre>
        </article>
      ))}
      <div class="buttons">
        <button
          type="button"
          class={messages.length > 0 || hasReads ? 'primary' : 'secondary'}
          onClick={onNext}
        >
          {t.toFormat}
        </button>
      </div>
    </section>
  );
}
