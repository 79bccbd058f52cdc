import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { CardForm } from '../../parts/card-form.tsx';
import { Field, Select } from '../../parts/field.tsx';
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
  const action = useAction();
  const { problem } = action;
  const invite = async () => {
    onInvited((await post<{ data: Invitation }>('/invitations', { email, role })).data);
    setEmail('');
  };
  return (
    <CardForm
      title={t.inviteTitle}
      hint={t.inviteHint}
      submit={t.invite}
      action={action}
      shown={['email']}
      onSubmit={invite}
    >
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
    </CardForm>
  );
}
