import { useState } from 'preact/hooks';
import { organizationId } from '../../api/organization.ts';
import { post, remove } from '../../api/send.ts';
import { serverNow } from '../../api/server-clock.ts';
import type { Row } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-list.ts';
import { Badge } from '../../parts/badge.tsx';
import { CardForm } from '../../parts/card-form.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExpiryField, expiresAt } from '../../parts/expiry-field.tsx';
import { Field } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { SecretNote } from '../../parts/secret-note.tsx';
import { Pager, type SavedColumns } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';

type ApiKey = Row<'GET /orgs/{id}/api-keys'>;

/** Keys with which programs use the API. */
export function KeysSection() {
  const t = texts.value.settings;
  const words: Readonly<Record<string, string>> = t.scopeWords;
  const path = `/orgs/${organizationId.value}/api-keys`;
  const list = useList<ApiKey>(path, { sort: '' });
  const [issued, setIssued] = useState<{ name: string; key: string } | null>(null);
  const revoking = useAction();
  const revoke = async (key: ApiKey) => {
    const isSure = await confirm({
      title: t.revokeTitle(key.name),
      body: t.revokeBody,
      action: t.revoke,
      isDangerous: true,
    });
    if (isSure) {
      await revoking.run(() => remove(`${path}/${key.id}`));
    }
  };
  return (
    <div class="cards">
      <NewKey path={path} onIssued={setIssued} />
      <section class="card stack" aria-labelledby="keys-title">
        <h2 id="keys-title">{t.keysTitle}</h2>
        {issued !== null && <SecretNote title={t.keyOf(issued.name)} hint={t.keyOnce} secret={issued.key} />}
        {list.problem !== null && <ProblemNote problem={list.problem} onRetry={list.reload} />}
        {revoking.problem !== null && <ProblemNote problem={revoking.problem} />}
        {list.total === 0 && <EmptyState icon="key" title={t.noKeys} hint={t.noKeysHint} />}
        <ul class="lines">
          {list.rows.map((key) => (
            <li key={key.id} class={key.revoked_at === null ? undefined : 'faint'}>
              <div>
                <strong>{key.name}</strong>{' '}
                {isOver(key) && <Badge tone="refused">{texts.value.handhelds.expired}</Badge>}
                <p class="hint">{key.scopes.map((scope) => words[scope] ?? scope).join(', ')}</p>
                <p class="hint">
                  {t.lastUsed} <Instant at={key.last_used_at} />
                </p>
                {key.expires_at !== null && (
                  <p class="hint">
                    {texts.value.handhelds.expires} <Instant at={key.expires_at} isLong />
                  </p>
                )}
              </div>
              {key.revoked_at === null ? (
                <button
                  type="button"
                  class="small secondary"
                  disabled={revoking.isBusy}
                  onClick={() => void revoke(key)}
                >
                  {t.revoke}
                </button>
              ) : (
                <Badge tone="refused">{t.revoked}</Badge>
              )}
            </li>
          ))}
        </ul>
        <Pager list={list} label={t.keysTitle} columns={keyColumns()} />
      </section>
    </div>
  );
}

function keyColumns(): SavedColumns<ApiKey> {
  const { settings: t, handhelds } = texts.value;
  return [
    { title: t.keyName, saved: ({ name }) => name },
    { title: t.scopes, saved: ({ scopes }) => scopes.join(', ') },
    { title: t.lastUsed, saved: ({ last_used_at: at }) => at },
    { title: handhelds.expires, saved: ({ expires_at: at }) => at },
    { title: t.revoked, saved: ({ revoked_at: at }) => at },
  ];
}

function isOver({ expires_at: at, revoked_at: revoked }: ApiKey): boolean {
  return revoked === null && at !== null && Date.parse(at) <= serverNow();
}

const SCOPES = [
  'assets:read',
  'assets:write',
  'locations:read',
  'locations:write',
  'tracking:read',
  'tracking:write',
  'changes:read',
] as const;

/** Ticked at first: a program that only reads needs no more, and who wants it to write ticks that. */
const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(':read'));

function NewKey({
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
            <span>
              {t.scopeWords[scope]} <span class="mono faint">{scope}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </CardForm>
  );
}
