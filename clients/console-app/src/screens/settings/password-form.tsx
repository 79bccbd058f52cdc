import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { noteWrite } from '../../api/writes.ts';
import { CardForm } from '../../parts/card-form.tsx';
import { Field } from '../../parts/field.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

export function PasswordForm() {
  const t = texts.value.settings;
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction();
  const { problem } = action;
  const change = async () => {
    await post('/password', { current_password: current, password });
    setCurrent('');
    setPassword('');
    toast(t.passwordChanged);
    // Every other session has ended.
    noteWrite('/sessions');
  };
  return (
    <CardForm
      title={t.passwordTitle}
      hint={t.passwordHint}
      submit={t.changePassword}
      action={action}
      shown={['current_password', 'password']}
      onSubmit={change}
    >
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
    </CardForm>
  );
}
