import './style/app.css';
import { render } from 'preact';
import { App } from './app/app.ts';
import { AppContext } from './app/app-context.ts';
import { startRouter } from './app/router.ts';
import { Sounds } from './feedback/sounds.ts';
import { listenToWedge } from './scanning/listen-to-wedge.ts';
import { FIRST_LIMIT_MS } from './scanning/pause-limit.ts';
import { Frame } from './screens/frame.tsx';
import { NoMemoryScreen } from './screens/no-memory-screen.tsx';
import { takeBroken, takeLink, takeScan } from './screens/take-scan.ts';
import { chooseLanguage } from './screens/use-language.ts';
import { type Database, openDatabase } from './storage/database.ts';

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
