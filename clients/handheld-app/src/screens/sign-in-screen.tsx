import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { Mark } from '../../../ui/parts/mark.tsx';
import { useApp } from '../app/app-context.ts';
import { goToScreen } from '../app/router.ts';
import { CameraSheet } from '../parts/camera-sheet.tsx';
import { PlainHttpNote } from '../parts/plain-http-note.tsx';
import { VerdictStrip } from '../parts/verdict-strip.tsx';
import { waitingIn } from '../parts/waiting-in.ts';
import { keepUnderWay, tokenIn } from '../session/token.ts';
import { texts } from '../texts/texts.ts';

/** Nobody is signed in, or the token was refused. Scans stay on the device. */
export function SignInScreen() {
  const app = useApp();
  const said = texts.value.signIn;
  const [fault, setFault] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isCamera, setCamera] = useState(false);
  /** Another handheld's token while scans wait: the user has to allow their deletion. */
  const [another, setAnother] = useState<string | null>(null);
  const waiting = app.queue.waiting.value;
  const { rejected } = app.session.stored.value;
  /** Shown while the token is refused, because work continues; hidden after signing out. */
  const latest = app.session.isOpen.value ? app.queue.recent.value[0] : undefined;

  const attempt = async (given: string, isAgreed = false) => {
    setCamera(false);
    const token = tokenIn(given);
    if (token === null) {
      setFault(said.noToken);
      return;
    }
    if (!isAgreed && waiting > 0 && app.session.isAnother(token)) {
      setAnother(token);
      return;
    }
    setBusy(true);
    setFault(null);
    keepUnderWay(token);
    const problem = await app.signIn(token);
    setBusy(false);
    setFault(problem?.detail ?? null);
    if (problem?.kind === 'unreachable') {
      // The code is shown once: it is not scanned again, but tried again.
      setText(token);
    } else {
      keepUnderWay(null);
    }
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
            {said.what}
            {window.isSecureContext && said.offlineToo}
          </p>
        )}
      </div>
      <PlainHttpNote />
      {rejected !== null && (
        <div class="advice advice-strong" role="alert">
          <h2>{said.again}</h2>
          <p>{said.noLonger(rejected)}</p>
        </div>
      )}
      {(latest !== undefined || app.notice.value !== null) && (
        <VerdictStrip shown={latest} notice={app.notice.value} />
      )}
      {waiting > 0 && (
        <p class="kept">
          <Icon name="queued" />
          {said.safe(waitingIn(app.queue), waiting)}
        </p>
      )}
      {another === null ? (
        <TokenForm
          {...{ fault, isBusy, text }}
          onText={setText}
          onToken={attempt}
          onCamera={() => setCamera(true)}
        />
      ) : (
        <AnotherToken
          onSend={() => void attempt(another, true).then(() => setAnother(null))}
          onLeave={() => setAnother(null)}
        />
      )}
      {isCamera && (
        <CameraSheet
          title={said.scanToken}
          onCode={(value) => void attempt(value)}
          onClose={() => setCamera(false)}
        />
      )}
    </main>
  );
}

function TokenForm({
  fault,
  isBusy,
  text,
  onText,
  onToken,
  onCamera,
}: {
  fault: string | null;
  isBusy: boolean;
  text: string;
  onText: (text: string) => void;
  onToken: (text: string) => Promise<void>;
  onCamera: () => void;
}) {
  const said = texts.value.signIn;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void onToken(text);
      }}
    >
      <label class="field">
        <span>{said.token}</span>
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
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      <p id="token-fault" class="fault" role="alert">
        {fault}
      </p>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? said.signingIn : said.signIn}
      </button>
      <button type="button" class="secondary" onClick={onCamera}>
        <Icon name="camera" />
        {said.scanToken}
      </button>
      <p class="hint">{said.hint}</p>
    </form>
  );
}

/** Scans of one handheld wait, and the token is another's: they are sent under it only if the user says so. */
function AnotherToken({ onSend, onLeave }: { onSend: () => void; onLeave: () => void }) {
  const app = useApp();
  const said = texts.value.signIn;
  return (
    <div class="advice stack" role="alert">
      <h2>{said.another}</h2>
      <p>{said.anotherHint(waitingIn(app.queue))}</p>
      <button type="button" class="primary" onClick={onSend}>
        {said.sendThem}
      </button>
      <button type="button" class="secondary" onClick={onLeave}>
        {said.useAnother}
      </button>
    </div>
  );
}
