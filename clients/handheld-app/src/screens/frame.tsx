import { useApp } from '../app/app-context.ts';
import { type Screen, screen } from '../app/router.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { QueueChip } from '../parts/queue-chip.tsx';
import { useTheme } from '../parts/use-theme.ts';
import { HistoryScreen } from './history-screen.tsx';
import { PlaceScreen } from './place-screen.tsx';
import { ScanScreen } from './scan-screen.tsx';
import { SettingsScreen } from './settings-screen.tsx';
import { SignInScreen } from './sign-in-screen.tsx';
import { SweepScreen } from './sweep-screen.tsx';

const SCREENS: Record<Screen, () => preact.JSX.Element> = {
  scan: ScanScreen,
  sweep: SweepScreen,
  history: HistoryScreen,
  settings: SettingsScreen,
  place: PlaceScreen,
};

const TABS = [
  { name: 'scan', word: 'Scan' },
  { name: 'sweep', word: 'Sweep' },
  { name: 'history', word: 'History' },
  { name: 'settings', word: 'Settings' },
] as const;

export function Frame() {
  const app = useApp();
  useTheme(app.settings.now.value.theme);
  if (app.session.token.value === null) {
    return <SignInScreen />;
  }
  const Current = SCREENS[screen.value];
  return (
    <div class="frame">
      <header class="strip">
        <a class="brand" href="#scan" aria-label="tagtrail, to the scan screen">
          <Mark />
          <span class="brand-name">tagtrail</span>
        </a>
        <QueueChip />
      </header>
      {app.updates.isReady.value && (
        <div class="update" role="status">
          A new version is ready.
          <button type="button" onClick={() => app.updates.apply()}>
            Update now
          </button>
        </div>
      )}
      {/* Keys scroll what can have the focus, and a history may have nothing else that can. */}
      <main class="screen" key={screen.value} tabIndex={screen.value === 'history' ? 0 : undefined}>
        <Current />
      </main>
      <nav class="tabs" aria-label="Screens">
        {TABS.map(({ name, word }) => (
          <a key={name} href={`#${name}`} aria-current={screen.value === name ? 'page' : undefined}>
            <Icon name={name} />
            {word}
          </a>
        ))}
      </nav>
    </div>
  );
}
