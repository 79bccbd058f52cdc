import './style/app.css';
import { render } from 'preact';
import { App, AppContext } from './app.ts';
import { startRouter } from './router.ts';
import { Frame } from './screens/frame.tsx';
import { openDatabase } from './storage/database.ts';

const app = new App(await openDatabase());
startRouter();
await app.start();
const root = document.getElementById('app');
if (root !== null) {
  render(
    <AppContext.Provider value={app}>
      <Frame />
    </AppContext.Provider>,
    root,
  );
}
void app.updates.start();
