import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { Field, Select } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { ROLES, type Role } from '../../session/roles.ts';
import { texts } from '../../texts/texts.ts';

export interface Invitation {
  email: string;
  url: string;
  expires_at: string;
}

export function InviteForm({ onInvited }: { onInvited: (invitation: Invitation) => void }) {
  const t = texts.value.settings;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const { run, isBusy, problem } = useAction();
  const invite = async () => {
    onInvited((await post<{ data: Invitation }>('/invitations', { email, role })).data);
    setEmail('');
  };
  return (
    <form
      class="card stack"
      aria-labelledby="invite-title"
      onSubmit={(event) => {
        event.preventDefault();
        void run(invite);
      }}
    >
      <h2 id="invite-title">{t.inviteTitle}</h2>
      <p class="hint">{t.inviteHint}</p>
      <Field
        label={texts.value.signIn.email}
        type="email"
        name="email"
        autocomplete="off"
        required
        maxLength={254}
        value={email}
        fault={faultOf(problem, 'email')}
        onValue={setEmail}
      />
      <Select
        label={t.role}
        hint={t.roleHints[role]}
        options={ROLES.map((value) => ({ value, word: texts.value.roles[value] }))}
        value={role}
        onValue={setRole}
      />
      {problem !== null && <ProblemNote problem={problem} shown={['email']} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {t.invite}
        </button>
      </div>
    </form>
  );
}
