import { Icon } from '../../../ui/parts/icon.tsx';
import { Mark } from '../../../ui/parts/mark.tsx';
import { useTheme } from '../../../ui/parts/use-theme.ts';
import { useApp } from '../app/app-context.ts';
import { openAsset, type Screen, screen, tab } from '../app/router.ts';
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

function QueueChip() {
  const { queue, sender } = useApp();
  const said = texts.value.queue;
  const waiting = queue.waiting.value;
  const refused = queue.refused.value.length + queue.refusedSweeps.value.length;
  const { value: link } = sender.link;
  const isOffline = link === 'offline' || link === 'waiting';
  const isStoring = queue.isStoring.value;
  const isClear = waiting === 0 && !isStoring;
  const tone = isOffline ? 'offline' : isClear ? 'clear' : 'busy';
  const icon = isOffline ? 'offline' : isClear ? 'check' : 'queued';
  const count = isStoring
    ? said.storing
    : waiting > 0
      ? said.waiting(waiting)
      : isOffline
        ? null
        : said.allSent;
  const words = [link === 'offline' && said.offline, link === 'waiting' && said.noAnswer, count].filter(
    Boolean,
  );
  return (
    <div class="chips">
      {refused > 0 && (
        <a class="chip chip-refused" href="#history">
          <Icon name="refused" />
          <span>
            {refused}
            <span class="unseen">{said.refused}</span>
          </span>
        </a>
      )}
      <a class={`chip chip-${tone}`} href="#history">
        <Icon name={icon} />
        <span role="status" data-waiting={isStoring ? undefined : waiting}>
          {words.join(' · ')}
        </span>
      </a>
    </div>
  );
}
