import { useState } from 'preact/hooks';
import { post, remove } from '../../api/send.ts';
import type { Row } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useSignInWays } from '../../api/use-sign-in-ways.ts';
import { noteWrite } from '../../api/writes.ts';
import { Badge } from '../../parts/badge.tsx';
import { CardForm } from '../../parts/card-form.tsx';
import { durationText } from '../../parts/duration.ts';
import { Field } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { session } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

export function AccountSection() {
  const ways = useSignInWays();
  return (
    <div class="cards">
      {ways.answer?.data.passwords === true && <PasswordForm />}
      <SessionList />
    </div>
  );
}

function PasswordForm() {
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

type ListedSession = Row<'GET /sessions'>;

/** Where the user is signed in. */
function SessionList() {
  const t = texts.value.settings;
  const { answer, problem, reload } = useRead<{ data: readonly ListedSession[] }>('/sessions');
  const action = useAction();
  return (
    <section class="card stack" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{t.sessionsTitle}</h2>
      <p class="hint">{t.sessionsHint(durationText((session.value?.idle_seconds ?? 0) * 1_000))}</p>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {action.problem !== null && <ProblemNote problem={action.problem} />}
      <ul class="lines">
        {answer?.data.map((each) => (
          <li key={each.id}>
            <div>
              <strong title={each.user_agent}>{browserOf(each.user_agent) ?? t.unknownBrowser}</strong>
              <p class="hint">
                {each.address} · {t.lastUsed} <Instant at={each.used_at} />
              </p>
            </div>
            {each.is_this ? (
              <Badge tone="moved">{t.thisSession}</Badge>
            ) : (
              <button
                type="button"
                class="small secondary"
                disabled={action.isBusy}
                onClick={() => void action.run(() => remove(`/sessions/${each.id}`))}
              >
                {t.endSession}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** In order: each of these also contains the names of later ones. */
const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
] as const;

/** `Firefox, Windows`; null if it says nothing we know. */
function browserOf(userAgent: string): string | null {
  const named = (all: typeof BROWSERS | typeof SYSTEMS) => all.find(([is]) => is.test(userAgent))?.[1];
  return [named(BROWSERS), named(SYSTEMS)].filter((name) => name !== undefined).join(', ') || null;
}
