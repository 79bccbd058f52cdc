import { useState } from 'preact/hooks';
import { patch, post, remove } from '../../api/send.ts';
import type { Data, Row } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-list.ts';
import { useSignInWays } from '../../api/use-sign-in-ways.ts';
import { Badge } from '../../parts/badge.tsx';
import { CardForm } from '../../parts/card-form.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Instant, instantText } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { isOnlyHere, SecretNote } from '../../parts/secret-note.tsx';
import { Pager, type SavedColumns } from '../../parts/table.tsx';
import { ROLES, type Role, session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

type OpenInvitation = Row<'GET /invitations'>;

/** A link that was just made, for whom. */
interface MadeLink {
  title: string;
  url: string;
  expires_at: string;
}

export function UsersSection() {
  const t = texts.value.settings;
  const users = useList<User>('/users', { sort: '' });
  const invitations = useList<OpenInvitation>('/invitations', { sort: '', pageIn: 'invitations' });
  const [link, setLink] = useState<MadeLink | null>(null);
  const hasPasswords = useSignInWays().answer?.data.passwords === true;
  const { run, isBusy, problem } = useAction();
  const onInvited = ({ email, ...made }: Invitation) => setLink({ ...made, title: t.linkFor(email) });
  const onReset = async (user: User) => {
    const { data } = await post<{ data: Omit<MadeLink, 'title'> }>(`/users/${user.id}/reset-link`);
    setLink({ ...data, title: t.linkFor(user.email) });
  };
  return (
    <div class="cards">
      <InviteForm onInvited={onInvited} />
      <section class="card stack" aria-labelledby="users-title">
        <h2 id="users-title">{t.usersTitle}</h2>
        {link !== null && (
          <SecretNote
            title={link.title}
            hint={t.linkOnce(instantText(link.expires_at, true))}
            secret={link.url}
          />
        )}
        {link !== null && isOnlyHere(link.url) && <p class="fault">{t.linkOnlyHere}</p>}
        {[users.problem, invitations.problem, problem].map(
          (each) => each !== null && <ProblemNote key={each.message} problem={each} />,
        )}
        <ul class="lines">
          {users.rows.map((user) => (
            <UserLine key={user.id} user={user} onReset={hasPasswords ? () => onReset(user) : null} />
          ))}
        </ul>
        <Pager list={users} label={t.usersTitle} columns={userColumns()} />
        {(invitations.total ?? 0) > 0 && <h3>{t.invitations}</h3>}
        <ul class="lines">
          {invitations.rows.map((invitation) => (
            <InvitationLine
              key={invitation.id}
              {...{ invitation, isBusy }}
              onWithdraw={() => void run(() => remove(`/invitations/${invitation.id}`))}
            />
          ))}
        </ul>
        {(invitations.total ?? 0) > 0 && (
          <Pager list={invitations} label={t.invitations} columns={invitationColumns()} />
        )}
      </section>
    </div>
  );
}

function InvitationLine({
  invitation: { email, role, expires_at },
  isBusy,
  onWithdraw,
}: {
  invitation: OpenInvitation;
  isBusy: boolean;
  onWithdraw: () => void;
}) {
  const t = texts.value.settings;
  return (
    <li>
      <div>
        <strong>{email}</strong>
        <p class="hint">
          {texts.value.roles[role]} · {t.until} <Instant at={expires_at} />
        </p>
      </div>
      <button type="button" class="small secondary" disabled={isBusy} onClick={onWithdraw}>
        {t.withdraw}
      </button>
    </li>
  );
}

function userColumns(): SavedColumns<User> {
  const { settings: t, signIn, items } = texts.value;
  return [
    { title: items.name, saved: ({ name }) => name },
    { title: signIn.email, saved: ({ email }) => email },
    { title: t.role, saved: ({ role }) => texts.value.roles[role] },
    { title: t.disabled, saved: ({ is_disabled: is }) => texts.value.changes[is ? 'yes' : 'no'] },
  ];
}

function invitationColumns(): SavedColumns<OpenInvitation> {
  const { settings: t, signIn } = texts.value;
  return [
    { title: signIn.email, saved: ({ email }) => email },
    { title: t.role, saved: ({ role }) => texts.value.roles[role] },
    { title: t.until, saved: ({ expires_at: at }) => at },
  ];
}

type Invitation = Data<'POST /invitations'>;

function InviteForm({ onInvited }: { onInvited: (invitation: Invitation) => void }) {
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

type User = Row<'GET /users'>;

/** A member of the organization, with actions. Nobody takes rights from themselves. */
function UserLine({ user, onReset }: { user: User; onReset: (() => Promise<unknown>) | null }) {
  const t = texts.value.settings;
  const { run, isBusy, problem } = useAction();
  const isSelf = user.id === session.value?.user.id;
  const path = `/users/${user.id}`;
  const leave = async () => {
    const isSure = await confirm({
      title: t.removeTitle(user.name),
      body: t.removeBody,
      action: texts.value.common.remove,
      isDangerous: true,
    });
    if (isSure) {
      await run(() => remove(path));
    }
  };
  return (
    <li class="user">
      <div>
        <strong>{user.name}</strong> {isSelf && <Badge tone="moved">{t.you}</Badge>}
        {user.is_disabled && <Badge tone="refused">{t.disabled}</Badge>}
        <p class="hint">{user.email}</p>
        {problem !== null && <ProblemNote problem={problem} />}
      </div>
      {isSelf ? (
        <span class="hint">{texts.value.roles[user.role]}</span>
      ) : (
        <div class="buttons">
          <select
            aria-label={t.roleOf(user.name)}
            value={user.role}
            disabled={isBusy}
            onChange={(event) => {
              const role = event.currentTarget.value;
              void run(() => patch(path, { role }));
            }}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {texts.value.roles[role]}
              </option>
            ))}
          </select>
          {onReset !== null && (
            <button type="button" class="small secondary" disabled={isBusy} onClick={() => void run(onReset)}>
              {t.resetLink}
            </button>
          )}
          <button
            type="button"
            class="small secondary"
            disabled={isBusy}
            onClick={() => void run(() => patch(path, { is_disabled: !user.is_disabled }))}
          >
            {user.is_disabled ? t.enable : t.disable}
          </button>
          <button type="button" class="small danger" disabled={isBusy} onClick={() => void leave()}>
            {texts.value.common.remove}
          </button>
        </div>
      )}
    </li>
  );
}
