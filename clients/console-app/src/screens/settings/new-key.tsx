import { useState } from 'preact/hooks';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { CardForm } from '../../parts/card-form.tsx';
import { ExpiryField, expiresAt } from '../../parts/expiry-field.tsx';
import { Field } from '../../parts/field.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';

const SCOPES = ['assets:read', 'assets:write', 'locations:read', 'locations:write', 'tracking:read'] as const;

/** Ticked at first: a program that only reads needs no more, and who wants it to write ticks that. */
const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(':read'));

export function NewKey({
  path,
  onIssued,
}: {
  path: string;
  onIssued: (issued: { name: string; key: string }) => void;
}) {
  const t = texts.value.settings;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(READ_SCOPES);
  const [expiry, setExpiry] = useState('');
  const action = useAction();
  const { problem } = action;
  const issue = async () => {
    const expires_at = expiresAt(expiry);
    const { data } = await post<{ data: { name: string; key: string } }>(path, { name, scopes, expires_at });
    onIssued(data);
    setName('');
    setScopes(READ_SCOPES);
    setExpiry('');
  };
  return (
    <CardForm
      title={t.newKey}
      hint={t.newKeyHint}
      submit={t.makeKey}
      action={action}
      shown={['name', 'expires_at']}
      isReady={scopes.length > 0}
      onSubmit={issue}
    >
      <Field
        label={t.keyName}
        name="name"
        required
        maxLength={255}
        value={name}
        fault={faultOf(problem, 'name')}
        onValue={setName}
      />
      <ExpiryField
        label={t.keyExpiry}
        hint={t.keyExpiryHint}
        value={expiry}
        problem={problem}
        onValue={setExpiry}
      />
      <fieldset class="checks">
        <legend>{t.scopes}</legend>
        {SCOPES.map((scope) => (
          <label class="check" key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(
                  event.currentTarget.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope),
                )
              }
            />
            <span class="mono">{scope}</span>
          </label>
        ))}
      </fieldset>
    </CardForm>
  );
}
