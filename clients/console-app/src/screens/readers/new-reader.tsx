import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { type Arrivals, type Data, NO_FORMAT, type Reader } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { isOnlyHere, SecretNote } from '../../parts/secret-note.tsx';
import { address, go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { ReaderFields } from './reader-fields.tsx';
import { StepAntennas } from './step-antennas.tsx';
import { StepFormat } from './step-format.tsx';

const STEPS = ['make', 'arrivals', 'format', 'antennas'] as const;

type Step = (typeof STEPS)[number];

/** `#/readers/new?reader=7&step=format`: in four steps; each has an address, so that one can come back to it. */
export function NewReader() {
  const t = texts.value.readers;
  const { query } = address.value;
  const id = query.get('reader');
  const asked = STEPS.find((step) => step === query.get('step')) ?? 'make';
  const step: Step = id === null ? 'make' : asked;
  const { answer, problem, reload } = useRead<{ data: Reader }>(id === null ? null : `/readers/${id}`);
  const reader = answer?.data;
  const toStep = (next: Step, reader = id) => go(href('readers', 'new', { reader, step: next }));
  return (
    <div class="page new-reader">
      <PageHead title={t.newTitle} {...(reader === undefined ? {} : { sub: reader.name })} />
      <ol class="steps" aria-label={t.stepsLabel}>
        {STEPS.map((each, index) => (
          <li key={each} aria-current={each === step ? 'step' : undefined}>
            {id === null || each === 'make' ? (
              <span>
                {index + 1}. {t.steps[each]}
              </span>
            ) : (
              <a href={href('readers', 'new', { reader: id, step: each })}>
                {index + 1}. {t.steps[each]}
              </a>
            )}
          </li>
        ))}
      </ol>
      {problem !== null && id !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {step === 'make' && <StepMake onNext={(made) => toStep('arrivals', String(made))} />}
      {reader !== undefined && step === 'arrivals' && (
        <StepArrivals reader={reader} reload={reload} onNext={() => toStep('format')} />
      )}
      {reader !== undefined && step === 'format' && (
        <StepFormat reader={reader} onNext={() => toStep('antennas')} />
      )}
      {reader !== undefined && step === 'antennas' && <StepAntennas reader={reader} reload={reload} />}
    </div>
  );
}

/** The reader's bytes, as they arrive. */
function StepArrivals({
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

type Made = Data<'POST /readers'>;

/** Its name and topic; then the settings to enter at the device, with the password, which is shown this once. */
function StepMake({ onNext }: { onNext: (id: number) => void }) {
  const t = texts.value.readers;
  const [draft, setDraft] = useState({ name: '', topic: '', format: NO_FORMAT });
  const [made, setMade] = useState<Made | null>(null);
  const { run, isBusy, problem } = useAction();
  const make = async () => {
    const { data } = await post<{ data: Made }>('/readers', draft);
    setMade(data);
  };
  if (made !== null) {
    return (
      <section class="card stack" aria-label={t.atDevice}>
        <h2>{t.atDevice}</h2>
        <p class="hint">{t.atDeviceHint}</p>
        <dl class="login">
          <Line word={t.broker} value={made.mqtt_url ?? t.askForBroker} />
          <Line word={t.protocol} value={t.protocolValue} />
          <Line word={t.topic} value={made.topic} />
          <Line word={t.user} value={made.mqtt_username} />
          {made.push_url !== null && <Line word={t.push} value={made.push_url} />}
        </dl>
        {made.mqtt_url !== null && isOnlyHere(made.mqtt_url) && <p class="fault">{t.brokerOnlyHere}</p>}
        <SecretNote
          title={t.passwordOf(made.mqtt_username)}
          hint={t.passwordOnce}
          secret={made.mqtt_password}
        />
        {!made.subscribed && <p class="note note-problem">{t.notSubscribed(made.topic)}</p>}
        <div class="buttons">
          <button type="button" class="primary" onClick={() => onNext(made.id)}>
            {t.toArrivals}
          </button>
        </div>
      </section>
    );
  }
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run(make);
      }}
    >
      <ReaderFields draft={draft} onDraft={setDraft} />
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {t.make}
        </button>
      </div>
    </form>
  );
}

function Line({ word, value }: { word: string; value: string }) {
  return (
    <div>
      <dt class="hint">{word}</dt>
      <dd class="mono">{value}</dd>
    </div>
  );
}
