import { useState } from 'preact/hooks';
import { post } from '../../../api/send.ts';
import { useAction } from '../../../api/use-action.ts';
import { CardForm } from '../../../parts/card-form.tsx';
import { ExpiryField, expiresAt } from '../../../parts/expiry-field.tsx';
import { Field } from '../../../parts/field.tsx';
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
  const [expiry, setExpiry] = useState('');
  const action = useAction();
  const { problem } = action;
  const make = async () => {
    const expires_at = expiresAt(expiry);
    onMade((await post<{ data: MadeHandheld }>('/handhelds', { name, expires_at })).data);
    setName('');
    setExpiry('');
  };
  return (
    <CardForm
      title={t.newTitle}
      hint={t.newHint}
      submit={t.make}
      action={action}
      shown={['name', 'expires_at']}
      onSubmit={make}
    >
      <Field
        label={t.name}
        name="name"
        required
        maxLength={255}
        value={name}
        fault={faultOf(problem, 'name')}
        onValue={setName}
      />
      <ExpiryField
        label={t.expiry}
        hint={t.expiryHint}
        value={expiry}
        problem={problem}
        onValue={setExpiry}
      />
    </CardForm>
  );
}
