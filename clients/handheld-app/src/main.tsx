import './style/app.css';
import { render } from 'preact';
import { Mark } from '../../ui/parts/mark.tsx';
import { useTheme } from '../../ui/parts/use-theme.ts';
import { App } from './app/app.ts';
import { AppContext } from './app/app-context.ts';
import { goToScreen, screen, startRouter, tab } from './app/router.ts';
import { Sounds } from './feedback/sounds.ts';
import { listenToWedge } from './scanning/listen-to-wedge.ts';
import { FIRST_LIMIT_MS } from './scanning/pause-limit.ts';
import type { Broken } from './scanning/wedge.ts';
import { Frame } from './screens/frame.tsx';
import { chooseLanguage, useLanguage } from './screens/use-language.ts';
import { tokenIn } from './session/token.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { texts } from './texts/texts.ts';

const root = document.getElementById('app') ?? document.body;

let app: App | undefined;
let started: (app: App | null) => void = () => {};
const isStarted = new Promise<App | null>((resolve) => {
  started = resolve;
});
const sounds = new Sounds();
/** Listens from the first moment: scans wait until the app has opened. */
const whenStarted = (work: (app: App) => void) =>
  void isStarted.then((there) => (there === null ? sounds.play('refused', true) : work(there)));
listenToWedge({
  limit: () => app?.pace.limit ?? FIRST_LIMIT_MS,
  onScan: (value) => whenStarted((there) => takeScan(there, value)),
  onBroken: (scan) => whenStarted((there) => takeBroken(there, scan)),
  onPace: (slowest) => app?.pace.learn(slowest),
});

let database: Database | undefined;
try {
  database = await openDatabase();
} catch (error) {
  // A policy that blocks storage, a private window of some browsers, a disk that is full.
  started(null);
  render(<NoMemoryScreen reason={String(error)} />, root);
}
if (database !== undefined) {
  app = new App(database);
  // Before anything else may fail: it takes the token out of the address.
  startRouter((token) => whenStarted((there) => takeLink(there, token)));
  await app.start();
  await chooseLanguage(app.settings.now.value.language);
  render(
    <AppContext.Provider value={app}>
      <Frame />
    </AppContext.Provider>,
    root,
  );
  started(app);
  void app.updates.start();
}

/** Shown where the browser stores nothing for this page: no scan would be safe, so none is accepted. */
function NoMemoryScreen({ reason }: { reason: string }) {
  useTheme('auto');
  useLanguage('auto');
  const said = texts.value.noMemory;
  return (
    <main class="sign-in">
      <div class="sign-in-head">
        <Mark />
        <h1>tagtrail</h1>
      </div>
      <div class="advice advice-strong" role="alert">
        <h2>{said.title}</h2>
        <p>{said.lost}</p>
      </div>
      <p>{said.remedy}</p>
      <p class="hint mono">{reason}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        {said.tryAgain}
      </button>
    </main>
  );
}

/** While nobody is signed in a scanned token signs in; everything else is a scan, on any screen. */
function takeScan(app: App, value: string): void {
  if (app.session.token.value === null && tokenIn(value) !== null) {
    app.tokenScanned.value = value;
    return;
  }
  if (isLooking(app)) {
    app.lookFor(value);
    goToScreen('find');
    return;
  }
  const place = app.scans.placeOf(value);
  const begins = screen.value === 'sweep' && app.sweeping.now.value === null;
  app.scans.take(value);
  if (begins && place !== null && app.session.token.value !== null) {
    void app.sweeps.start(place);
    return;
  }
  showScans(app);
}

/** Handles an opened sign-in link. It ends nobody's session: anybody could have made the link. */
function takeLink(app: App, token: string): void {
  const said = texts.value.signIn;
  if (app.session.token.value === null) {
    app.tokenScanned.value = token;
  } else if (app.session.token.value !== token) {
    app.notice.value = {
      word: said.notSignedIn,
      title: said.isSignedIn(app.session.stored.value.handheld),
      says: said.signOutFirst,
    };
  }
}

function takeBroken(app: App, scan: Broken): void {
  app.scans.takeBroken(scan);
  if (isLooking(app)) {
    goToScreen('find');
  } else {
    showScans(app);
  }
}

/** While the tab Find is lit, scans find assets and do not move them. */
function isLooking(app: App): boolean {
  return app.session.token.value !== null && tab.value === 'find' && screen.value !== 'place';
}

/** Opens the screen that shows the last scan, unless a sweep or sign-in is under way, which show it themselves. */
function showScans(app: App): void {
  if (app.session.token.value === null) {
    return;
  }
  const isShown = screen.value === 'scan' || (screen.value === 'sweep' && app.sweeping.open !== null);
  if (!isShown) {
    goToScreen(app.sweeping.open === null ? 'scan' : 'sweep');
  }
}
