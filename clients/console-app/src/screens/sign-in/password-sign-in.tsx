import { useState } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { Field } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { signIn } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

export function PasswordSignIn() {
  const t = texts.value.signIn;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, isBusy, problem } = useAction();
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => signIn(email, password));
      }}
    >
      <Field
        label={t.email}
        type="email"
        name="email"
        autocomplete="username"
        required
        value={email}
        onValue={setEmail}
      />
      <Field
        label={t.password}
        type="password"
        name="password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
      {problem?.status === 401 ? (
        <div class="note note-refused" role="alert">
          <p>{t.wrong}</p>
        </div>
      ) : (
        problem !== null && <ProblemNote problem={problem} />
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? t.busy : t.action}
      </button>
      <p class="hint">{t.forgotten}</p>
    </form>
  );
}
