import { useState } from 'preact/hooks';
import { NO_FORMAT } from '../../api/reader.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { Field } from '../../parts/field.tsx';
import { isOnlyHere } from '../../parts/only-here.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SecretNote } from '../../parts/secret-note.tsx';
import { texts } from '../../texts/texts.ts';
import { FormatSelect } from './format-select.tsx';

interface Made {
  id: number;
  topic: string;
  mqtt_username: string;
  mqtt_password: string;
  mqtt_url: string | null;
  subscribed: boolean;
}

/** Its name and topic; then what is to be entered at the device, of which the password is shown this once. */
export function StepMake({ onNext }: { onNext: (id: number) => void }) {
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
      <Field
        label={t.name}
        hint={t.nameHint}
        required
        maxLength={255}
        value={draft.name}
        onValue={(name) => setDraft({ ...draft, name })}
      />
      <Field
        label={t.topic}
        hint={t.topicHint}
        class="mono"
        required
        spellcheck={false}
        value={draft.topic}
        onValue={(topic) => setDraft({ ...draft, topic })}
      />
      <FormatSelect value={draft.format} onValue={(format) => setDraft({ ...draft, format })} />
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
