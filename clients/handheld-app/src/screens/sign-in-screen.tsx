import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app/app-context.ts';
import { goToScreen } from '../app/router.ts';
import { CameraSheet } from '../parts/camera-sheet.tsx';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { PlainHttpNote } from '../parts/plain-http-note.tsx';
import { counted } from '../parts/titles.ts';
import { VerdictStrip } from '../parts/verdict-strip.tsx';
import { tokenIn } from '../session/token.ts';

/** Nobody is signed in, or the token was refused. Scans stay on the device. */
export function SignInScreen() {
  const app = useApp();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isCamera, setCamera] = useState(false);
  /** Another handheld's token while scans wait: the user has to allow their deletion. */
  const [another, setAnother] = useState<string | null>(null);
  const waiting = app.queue.waiting.value;
  const { rejected } = app.session.stored.value;
  /** Work goes on while the token is refused; after signing out scans are hidden. */
  const latest = app.session.isOpen.value ? app.queue.recent.value[0] : undefined;

  const attempt = async (given: string, isAgreed = false) => {
    setCamera(false);
    const token = tokenIn(given);
    if (token === null) {
      setFault('That is not a handheld’s token. It begins with th_');
      return;
    }
    if (!isAgreed && waiting > 0 && app.session.isAnother(token)) {
      setAnother(token);
      return;
    }
    setBusy(true);
    setFault(null);
    const problem = await app.signIn(token);
    setBusy(false);
    setFault(problem?.detail ?? null);
    if (app.notice.value !== null) {
      goToScreen('scan');
    }
  };
  const scanned = app.tokenScanned.value;
  useEffect(() => {
    if (scanned !== null) {
      app.tokenScanned.value = null;
      void attempt(scanned);
    }
  });

  return (
    <main class="sign-in">
      <div class="sign-in-head">
        <Mark />
        <h1>tagtrail</h1>
        {rejected === null && (
          <p>
            Scan tags, walk the places, sweep a location.
            {window.isSecureContext && ' With or without a network.'}
          </p>
        )}
      </div>
      <PlainHttpNote />
      {rejected !== null && (
        <div class="advice advice-strong" role="alert">
          <h2>Please sign in again</h2>
          <p>The gateway no longer takes this device’s token: {rejected}.</p>
        </div>
      )}
      {(latest !== undefined || app.notice.value !== null) && (
        <VerdictStrip shown={latest} notice={app.notice.value} />
      )}
      {waiting > 0 && (
        <p class="kept">
          <Icon name="queued" />
          {counted(waiting, 'scan')} {waiting === 1 ? 'is' : 'are'} safe on this device, and{' '}
          {waiting === 1 ? 'goes' : 'go'} out once you are signed in.
        </p>
      )}
      {another === null ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void attempt(text);
          }}
        >
          <label class="field">
            <span>Token of this handheld</span>
            <input
              name="token"
              class="mono"
              value={text}
              placeholder="th_…"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              aria-invalid={fault !== null}
              aria-describedby="token-fault"
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <p id="token-fault" class="fault" role="alert">
            {fault}
          </p>
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? 'Signing in…' : 'Sign in'}
          </button>
          <button type="button" class="secondary" onClick={() => setCamera(true)}>
            <Icon name="camera" />
            Scan the token
          </button>
          <p class="hint">
            Paste it, or scan it as a code. Whoever runs the gateway makes one with “tagtrail handheld
            create”.
          </p>
        </form>
      ) : (
        <div class="advice stack" role="alert">
          <h2>This is another handheld’s token</h2>
          <p>
            {counted(waiting, 'scan')} made before would be sent with it. Go on only if it belongs to the same
            organization.
          </p>
          <button
            type="button"
            class="primary"
            onClick={() => void attempt(another, true).then(() => setAnother(null))}
          >
            Sign in and send them
          </button>
          <button type="button" class="secondary" onClick={() => setAnother(null)}>
            Use another token
          </button>
        </div>
      )}
      {isCamera && (
        <CameraSheet
          title="Scan the token"
          onCode={(value) => void attempt(value)}
          onClose={() => setCamera(false)}
        />
      )}
    </main>
  );
}
