import { useState } from 'preact/hooks';
import { Choice } from '../../../ui/parts/choice.tsx';
import { useApp } from '../app/app-context.ts';
import { PlainHttpNote } from '../parts/plain-http-note.tsx';
import { TagTypeChoice } from '../parts/tag-type-choice.tsx';
import { waitingIn } from '../parts/waiting-in.ts';
import { texts } from '../texts/texts.ts';

export function SettingsScreen() {
  const app = useApp();
  const said = texts.value.settings;
  const { theme, language, sound, pauses } = app.settings.now.value;
  return (
    <div class="stack">
      <h1>{said.title}</h1>
      <PlainHttpNote />
      <div class="panel stack">
        <Choice
          label={said.language}
          options={[
            { value: 'auto', word: said.asDevice },
            { value: 'en', word: 'English' },
            { value: 'de', word: 'Deutsch' },
          ]}
          value={language}
          onChoose={(value) => void app.settings.change({ language: value })}
        />
        <Choice
          label={said.colours}
          options={[
            { value: 'auto', word: said.asDevice },
            { value: 'light', word: said.light },
            { value: 'dark', word: said.dark },
          ]}
          value={theme}
          onChoose={(value) => void app.settings.change({ theme: value })}
        />
        <Choice
          label={said.sound}
          options={[
            { value: 'on', word: said.on },
            { value: 'off', word: said.off },
          ]}
          value={sound ? 'on' : 'off'}
          onChoose={(value) => void app.settings.change({ sound: value === 'on' })}
        />
        <TagTypeChoice />
        <p class="hint">{said.autoHint}</p>
        <Choice
          label={said.pauses}
          options={[
            { value: 'auto', word: said.learned },
            { value: 'short', word: said.short },
            { value: 'long', word: said.long },
          ]}
          value={pauses}
          onChoose={(value) => void app.settings.change({ pauses: value })}
        />
        <p class="hint">{said.pausesHint}</p>
      </div>
      <SignOut />
    </div>
  );
}

function SignOut() {
  const app = useApp();
  const said = texts.value.settings;
  const [isSure, setSure] = useState(false);
  const waiting = app.queue.waiting.value;
  return (
    <div class="panel stack">
      <h2>{said.handheld(app.session.stored.value.handheld)}</h2>
      <p class="hint">{waiting === 0 ? said.nothingWaits : said.waits(waitingIn(app.queue))}</p>
      <button type="button" class="danger" onClick={() => (isSure ? void app.signOut() : setSure(true))}>
        {isSure ? said.yesSignOut : said.signOut}
      </button>
    </div>
  );
}
