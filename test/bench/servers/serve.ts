import type Koa from 'koa';
import { listenOn } from '../../../platform/runtime/listen-on.ts';

export async function serve(app: Koa): Promise<void> {
  const { url } = await listenOn(app.callback(), { host: '127.0.0.1', port: 0, setting: 'PORT' });
  endWithParent();
  process.send?.({ url });
}

/** However the bench ends, its servers do not outlive it. */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit());
}
