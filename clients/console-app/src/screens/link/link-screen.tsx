import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { post } from '../../api/send.ts';
import type { Data } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { asApiError } from '../../api/use-read.ts';
import { useSignInWays } from '../../api/use-sign-in-ways.ts';
import { Door } from '../../parts/door.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { href, replaceAddress } from '../../router/router.ts';
import { begin, requireCookies, type Session, session } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';

/** Behind `#/link/<token>`: an invitation, a reset, the first administrator's link, or a sign-in link. */
export function LinkScreen({ token }: { token: string }) {
  const t = texts.value.link;
  const [link, setLink] = useState<Link | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [attempts, setAttempts] = useState(0);
  const ways = useSignInWays();
  useEffect(() => {
    setProblem(null);
    post<{ data: Link }>('/links/look', { token }).then(
      ({ data }) => setLink(data),
      (error: unknown) => setProblem(asApiError(error)),
    );
  }, [token, attempts]);
  if (problem !== null && isOver(problem)) {
    return (
      <Door title={t.invalid} lead={t.invalidHint}>
        <a class="secondary" href={href()}>
          {t.toSignIn}
        </a>
      </Door>
    );
  }
  if (problem !== null) {
    return (
      <Door title={t.notChecked}>
        <ProblemNote problem={problem} onRetry={() => setAttempts(attempts + 1)} />
      </Door>
    );
  }
  if (link === null || (ways.answer === undefined && ways.problem === null)) {
    return <Door title={t.checking} />;
  }
  const provider = ways.answer?.data.identity_provider ?? null;
  // The first administrator has a password all the same.
  if (ways.answer?.data.passwords === false && (link.purpose === 'invite' || link.purpose === 'reset')) {
    return (
      <Door
        title={
          link.purpose === 'invite' ? t.inviteTitle(link.organization?.name ?? 'tagtrail') : t.resetTitle
        }
        lead={link.purpose === 'invite' ? t.byProvider : t.noPasswords}
      >
        {provider !== null && (
          <a class="primary" href={provider}>
            {texts.value.signIn.provider}
          </a>
        )}
      </Door>
    );
  }
  return <AcceptLink token={token} link={link} />;
}

/** Used, expired or never made: the server does not say which. Refused for another reason, it may still be good. */
function isOver({ status }: ApiError): boolean {
  return [400, 404, 410].includes(status);
}

type Link = Data<'POST /links/look'>;

function AcceptLink({ token, link }: { token: string; link: Link }) {
  const t = texts.value.link;
  const [email, setEmail] = useState(link.email ?? '');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const { run, isBusy, problem } = useAction();
  // Only they know: whoever invites has the link too, and would learn it from what is shown.
  const [saysAccount, setSaysAccount] = useState<boolean | null>(null);
  const hasAccount = saysAccount ?? session.value?.user.email === link.email;
  const isNew = link.purpose === 'first' || (link.purpose === 'invite' && !hasAccount);
  const isMember = link.purpose === 'invite' && hasAccount;
  const asksPassword = isNew || isMember || link.purpose === 'reset';
  const { title, lead } = wordsOf(link, hasAccount, texts.value);

  const accept = async () => {
    // Before the link is used up.
    requireCookies();
    const { data } = await post<{ data: Session }>('/links/accept', {
      token,
      ...(isNew ? { name } : {}),
      ...(link.purpose === 'first' ? { email } : {}),
      ...(asksPassword ? { password } : {}),
      ...(isMember ? { new_password: newPassword } : {}),
    });
    // The back button must not lead to a link that is used up.
    replaceAddress(href());
    begin(data, link.organization?.id);
  };

  return (
    <Door title={title} lead={lead}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(accept);
        }}
      >
        {isNew && <NewAccount {...{ link, problem, name, email }} onName={setName} onEmail={setEmail} />}
        {asksPassword && (
          <Field
            label={isMember ? texts.value.signIn.password : t.newPassword}
            type="password"
            name="password"
            autocomplete={isMember ? 'current-password' : 'new-password'}
            required
            minLength={isMember ? 1 : 12}
            maxLength={256}
            {...(isMember ? {} : { hint: t.passwordHint })}
            value={password}
            fault={faultOf(problem, 'password')}
            onValue={setPassword}
          />
        )}
        {isMember && (
          <Field
            label={t.newPassword}
            type="password"
            name="new_password"
            autocomplete="new-password"
            required
            minLength={12}
            maxLength={256}
            hint={t.ownPasswordHint}
            value={newPassword}
            fault={faultOf(problem, 'new_password')}
            onValue={setNewPassword}
          />
        )}
        {problem !== null && (
          <ProblemNote problem={problem} shown={['name', 'email', 'password', 'new_password']} />
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? t.busy : t.go}
        </button>
        {link.purpose === 'invite' && (
          <button type="button" class="quiet" onClick={() => setSaysAccount(!hasAccount)}>
            {hasAccount ? t.noAccount : t.hasAccount}
          </button>
        )}
      </form>
    </Door>
  );
}

function NewAccount({
  link,
  problem,
  name,
  email,
  onName,
  onEmail,
}: {
  link: Link;
  problem: ApiError | null;
  name: string;
  email: string;
  onName: (name: string) => void;
  onEmail: (email: string) => void;
}) {
  return (
    <>
      <Field
        label={texts.value.link.name}
        name="name"
        autocomplete="name"
        required
        value={name}
        fault={faultOf(problem, 'name')}
        onValue={onName}
      />
      <Field
        label={texts.value.signIn.email}
        type="email"
        name="email"
        autocomplete="username"
        required
        readOnly={link.email !== null}
        value={email}
        fault={faultOf(problem, 'email')}
        onValue={onEmail}
      />
    </>
  );
}

function wordsOf({ purpose, organization, role }: Link, hasAccount: boolean, { link: t, roles }: Texts) {
  const roleWord = role === null ? '' : roles[role];
  switch (purpose) {
    case 'first':
      return { title: t.firstTitle, lead: t.firstLead };
    case 'invite':
      return {
        title: t.inviteTitle(organization?.name ?? 'tagtrail'),
        lead: hasAccount ? t.inviteKnownLead(roleWord) : t.inviteLead(roleWord),
      };
    case 'reset':
      return { title: t.resetTitle, lead: t.resetLead };
    case 'sign_in':
      return { title: t.signInTitle, lead: t.signInLead };
  }
}
