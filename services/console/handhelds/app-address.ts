import type { ConsoleContext } from '../serving/context.ts';

/**
 * Where handhelds open their app. If no setting says so, it is taken to be on the machine that the console was asked
 * at, whose name reaches it from elsewhere too.
 */
export function appAddress({ parts: { handhelds, publicUrl }, sender }: ConsoleContext): string {
  if (handhelds.url !== null) {
    return handhelds.url;
  }
  // Of a write, and so the console's own.
  const { hostname } = new URL(publicUrl ?? sender.origin ?? 'http://localhost');
  return `${handhelds.scheme}://${hostname}:${handhelds.port}`;
}
