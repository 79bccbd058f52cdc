import { useState } from 'preact/hooks';
import { post } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import { Field } from '../../../parts/field.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { faultOf } from '../../../parts/problem-text.ts';
import { texts } from '../../../texts/texts.ts';

export interface MadeHandheld {
  id: number;
  name: string;
  token: string;
  sign_in_url: string;
}

export function NewHandheld({ onMade }: { onMade: (made: MadeHandheld) => void }) {
  const t = texts.value.handhelds;
  const [name, setName] = useState('');
  const { run, isBusy, problem } = useAction();
  const make = async () => {
    onMade((await post<{ data: MadeHandheld }>('/handhelds', { name })).data);
    setName('');
  };
  return (
    <form
      class="card stack"
      aria-labelledby="new-handheld-title"
      onSubmit={(event) => {
        event.preventDefault();
        void run(make);
      }}
    >
      <h2 id="new-handheld-title">{t.newTitle}</h2>
      <p class="hint">{t.newHint}</p>
      <Field
        label={t.name}
        name="name"
        required
        maxLength={255}
        value={name}
        fault={faultOf(problem, 'name')}
        onValue={setName}
      />
      {problem !== null && <ProblemNote problem={problem} shown={['name']} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {t.make}
        </button>
      </div>
    </form>
  );
}
