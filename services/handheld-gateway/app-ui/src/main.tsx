import './style/app.css';
import { render } from 'preact';
import { App, AppContext } from './app.ts';
import { startRouter } from './router.ts';
import { Frame } from './screens/frame.tsx';
import { NoMemoryScreen } from './screens/no-memory-screen.tsx';
import { type Database, openDatabase } from './storage/database.ts';

const root = document.getElementById('app') ?? document.body;

let database: Database | undefined;
try {
  database = await openDatabase();
} catch (error) {
  // A policy that blocks storage, a private window of some browsers, a disk that is full.
  render(<NoMemoryScreen reason={String(error)} />, root);
}
if (database !== undefined) {
  const app = new App(database);
  startRouter();
  await app.start();
  render(
    <AppContext.Provider value={app}>
      <Frame />
    </AppContext.Provider>,
    root,
  );
  void app.updates.start();
}
