import { useState } from 'preact/hooks';
import { post, remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-list.ts';
import { Instant, instantText } from '../../parts/instant.tsx';
import { isOnlyHere } from '../../parts/only-here.ts';
import { Pager } from '../../parts/pager.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SecretNote } from '../../parts/secret-note.tsx';
import type { Role } from '../../session/roles.ts';
import { texts } from '../../texts/texts.ts';
import { type Invitation, InviteForm } from './invite-form.tsx';
import { type User, UserLine } from './user-line.tsx';

interface OpenInvitation {
  id: number;
  email: string;
  role: Role;
  expires_at: string;
}

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
            <UserLine key={user.id} user={user} onReset={() => onReset(user)} />
          ))}
        </ul>
        <Pager list={users} />
        {(invitations.total ?? 0) > 0 && <h3>{t.invitations}</h3>}
        <ul class="lines">
          {invitations.rows.map(({ id, email, role, expires_at }) => (
            <li key={id}>
              <div>
                <strong>{email}</strong>
                <p class="hint">
                  {texts.value.roles[role]} · {t.until} <Instant at={expires_at} />
                </p>
              </div>
              <button
                type="button"
                class="small secondary"
                disabled={isBusy}
                onClick={() => void run(() => remove(`/invitations/${id}`))}
              >
                {t.withdraw}
              </button>
            </li>
          ))}
        </ul>
        {(invitations.total ?? 0) > invitations.limit && <Pager list={invitations} />}
      </section>
    </div>
  );
}
