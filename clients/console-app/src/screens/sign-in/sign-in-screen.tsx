import { useState } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { type SignInWays, useSignInWays } from '../../api/use-sign-in-ways.ts';
import { Door } from '../../parts/door.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { address } from '../../router/router.ts';
import { keepWantedAddress } from '../../session/addresses.ts';
import { signIn } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** The page for everybody not signed in, whatever the address; afterwards it shows that address. */
export function SignInScreen() {
  const t = texts.value.signIn;
  const { answer, problem, reload } = useSignInWays();
  const { passwords, identity_provider: provider } = answer?.data ?? PASSWORDS_ONLY;
  const reason = address.value.path[0] === 'sign-in' ? address.value.query.get('refused') : null;
  return (
    <Door title={t.title} lead={t.lead}>
      {reason !== null && (
        <div class="note note-refused" role="alert">
          <p>{isReason(reason) ? t.refused[reason] : t.refused.failed}</p>
        </div>
      )}
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {provider !== null && (
        <a class={passwords ? 'secondary' : 'primary'} href={provider} onClick={keepWantedAddress}>
          {t.provider}
        </a>
      )}
      {/* Nothing that would be taken away again. */}
      {(answer !== undefined || problem !== null) && passwords && (
        <>
          {provider !== null && <p class="or">{t.or}</p>}
          <PasswordSignIn />
        </>
      )}
    </Door>
  );
}

/** If it cannot be found out, a password may still do. */
const PASSWORDS_ONLY: SignInWays = { passwords: true, identity_provider: null };

function isReason(reason: string): reason is keyof typeof texts.value.signIn.refused {
  return Object.hasOwn(texts.value.signIn.refused, reason);
}

function PasswordSignIn() {
  const t = texts.value.signIn;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, isBusy, problem } = useAction();
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => signIn(email, password));
      }}
    >
      <Field
        label={t.email}
        type="email"
        name="email"
        autocomplete="username"
        required
        value={email}
        onValue={setEmail}
      />
      <Field
        label={t.password}
        type="password"
        name="password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
      {problem?.status === 401 ? (
        <div class="note note-refused" role="alert">
          <p>{t.wrong}</p>
        </div>
      ) : (
        problem !== null && <ProblemNote problem={problem} />
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? t.busy : t.action}
      </button>
      <p class="hint">{t.forgotten}</p>
    </form>
  );
}
