import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { noteWrite } from '../../api/writes.ts';
import { Field } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

export function PasswordForm() {
  const t = texts.value.settings;
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { run, isBusy, problem } = useAction();
  const change = async () => {
    await post('/password', { current_password: current, password });
    setCurrent('');
    setPassword('');
    toast(t.passwordChanged);
    // Every other session has ended.
    noteWrite('/sessions');
  };
  return (
    <form
      class="card stack"
      aria-labelledby="password-title"
      onSubmit={(event) => {
        event.preventDefault();
        void run(change);
      }}
    >
      <h2 id="password-title">{t.passwordTitle}</h2>
      <p class="hint">{t.passwordHint}</p>
      <input
        class="unseen"
        name="email"
        autocomplete="username"
        tabIndex={-1}
        aria-hidden
        readOnly
        value={session.value?.user.email ?? ''}
      />
      <Field
        label={t.currentPassword}
        type="password"
        name="current"
        autocomplete="current-password"
        required
        value={current}
        fault={faultOf(problem, 'current_password')}
        onValue={setCurrent}
      />
      <Field
        label={texts.value.link.newPassword}
        type="password"
        name="password"
        autocomplete="new-password"
        required
        minLength={12}
        maxLength={256}
        hint={texts.value.link.passwordHint}
        value={password}
        fault={faultOf(problem, 'password')}
        onValue={setPassword}
      />
      {problem !== null && <ProblemNote problem={problem} shown={['current_password', 'password']} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {t.changePassword}
        </button>
      </div>
    </form>
  );
}
