import { Choice } from '../../../ui/parts/choice.tsx';
import { useAction } from '../api/use-action.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { session, signOut } from '../session/session.ts';
import { codes, language, texts } from '../texts/texts.ts';
import { chooseLanguage, chooseTheme, theme } from './preferences.ts';

const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

/** The signed-in user, and this device's display settings. */
export function Account() {
  const t = texts.value.shell;
  const action = useAction();
  return (
    <div class="stack">
      <div>
        <strong>{session.value?.user.name}</strong>
        <p class="hint">{session.value?.user.email}</p>
      </div>
      <Choice
        label={t.colours}
        options={(['auto', 'light', 'dark'] as const).map((value) => ({ value, word: t.themes[value] }))}
        value={theme.value}
        onChoose={chooseTheme}
      />
      <Choice
        label={t.language}
        options={codes.map((value) => ({ value, word: LANGUAGES[value] }))}
        value={language.value}
        onChoose={(code) => void chooseLanguage(code)}
      />
      {action.problem !== null && <ProblemNote problem={action.problem} />}
      <button
        type="button"
        class="secondary"
        disabled={action.isBusy}
        onClick={() => void action.run(signOut)}
      >
        {t.signOut}
      </button>
    </div>
  );
}
