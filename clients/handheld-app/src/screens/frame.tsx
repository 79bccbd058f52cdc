import { Icon } from '../../../ui/parts/icon.tsx';
import { Mark } from '../../../ui/parts/mark.tsx';
import { useTheme } from '../../../ui/parts/use-theme.ts';
import { useApp } from '../app/app-context.ts';
import { openAsset, type Screen, screen, tab } from '../app/router.ts';
import { QueueChip } from '../parts/queue-chip.tsx';
import { texts } from '../texts/texts.ts';
import { AssetScreen } from './asset-screen.tsx';
import { FindScreen } from './find-screen.tsx';
import { HistoryScreen } from './history-screen.tsx';
import { PlaceScreen } from './place-screen.tsx';
import { ScanScreen } from './scan-screen.tsx';
import { SettingsScreen } from './settings-screen.tsx';
import { SignInScreen } from './sign-in-screen.tsx';
import { SweepScreen } from './sweep-screen.tsx';
import { useLanguage } from './use-language.ts';

const SCREENS: Record<Screen, () => preact.JSX.Element> = {
  scan: ScanScreen,
  find: FindScreen,
  sweep: SweepScreen,
  history: HistoryScreen,
  settings: SettingsScreen,
  place: PlaceScreen,
  asset: AssetScreen,
};

const TABS = [
  { name: 'scan', icon: 'scan' },
  { name: 'find', icon: 'search' },
  { name: 'sweep', icon: 'sweep' },
  { name: 'history', icon: 'history' },
  { name: 'settings', icon: 'settings' },
] as const;

export function Frame() {
  const app = useApp();
  const said = texts.value.frame;
  useLanguage(app.settings.now.value.language);
  useTheme(app.settings.now.value.theme);
  if (app.session.token.value === null) {
    return <SignInScreen />;
  }
  const Current = SCREENS[screen.value];
  // An asset belongs to where it was opened from.
  const lit = screen.value === 'asset' ? tab.value : screen.value;
  return (
    <div class="frame">
      <header class="strip">
        <a class="brand" href="#scan" aria-label={said.home}>
          <Mark />
          <span class="brand-name">tagtrail</span>
        </a>
        <QueueChip />
      </header>
      {app.updates.isReady.value && (
        <div class="update" role="status">
          {said.newVersion}
          <button type="button" onClick={() => app.updates.apply()}>
            {said.updateNow}
          </button>
        </div>
      )}
      {/* Keys scroll what can have the focus, and a history may have nothing else that can. */}
      <main
        class="screen"
        key={`${screen.value} ${openAsset.value}`}
        tabIndex={screen.value === 'history' ? 0 : undefined}
      >
        <Current />
      </main>
      <nav class="tabs" aria-label={said.screens}>
        {TABS.map(({ name, icon }) => (
          <a key={name} href={`#${name}`} aria-current={lit === name ? 'page' : undefined}>
            <Icon name={icon} />
            <span class="tab-word">{said[name]}</span>
          </a>
        ))}
      </nav>
    </div>
  );
}
