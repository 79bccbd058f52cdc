import { useState } from 'preact/hooks';
import { useApp } from '../app/app-context.ts';
import { Choice } from '../parts/choice.tsx';
import { PlainHttpNote } from '../parts/plain-http-note.tsx';
import { TagTypeChoice } from '../parts/tag-type-choice.tsx';
import { counted } from '../parts/titles.ts';

const THEMES = [
  { value: 'auto', word: 'As the device' },
  { value: 'light', word: 'Light' },
  { value: 'dark', word: 'Dark' },
] as const;

const SOUNDS = [
  { value: 'on', word: 'On' },
  { value: 'off', word: 'Off' },
] as const;

const PAUSES = [
  { value: 'auto', word: 'Learned' },
  { value: 'short', word: 'Short' },
  { value: 'long', word: 'Long' },
] as const;

export function SettingsScreen() {
  const app = useApp();
  const { theme, sound, pauses } = app.settings.now.value;
  return (
    <div class="stack">
      <h1>Settings</h1>
      <PlainHttpNote />
      <div class="panel stack">
        <Choice
          label="Colours"
          options={THEMES}
          value={theme}
          onChoose={(value) => void app.settings.change({ theme: value })}
        />
        <Choice
          label="Sound"
          options={SOUNDS}
          value={sound ? 'on' : 'off'}
          onChoose={(value) => void app.settings.change({ sound: value === 'on' })}
        />
        <TagTypeChoice />
        <p class="hint">Auto takes what looks like an EPC in hex for RFID, and all else for a barcode.</p>
        <Choice
          label="Pauses within a scan"
          options={PAUSES}
          value={pauses}
          onChoose={(value) => void app.settings.change({ pauses: value })}
        />
        <p class="hint">
          A scan with a longer pause is broken and has to be made again. Bluetooth scanners pause longer than
          those on a cable; learned goes by the scanner’s last scans.
        </p>
      </div>
      <SignOut />
    </div>
  );
}

function SignOut() {
  const app = useApp();
  const [isSure, setSure] = useState(false);
  const waiting = app.queue.waiting.value;
  return (
    <div class="panel stack">
      <h2>Handheld {app.session.stored.value.handheld}</h2>
      <p class="hint">
        {waiting === 0
          ? 'Nothing on this device waits to be sent.'
          : `${counted(waiting, 'scan')} not yet sent. They stay here, and go out when you sign in again.`}
      </p>
      <button type="button" class="danger" onClick={() => (isSure ? void app.signOut() : setSure(true))}>
        {isSure ? 'Yes, sign out' : 'Sign out'}
      </button>
    </div>
  );
}
