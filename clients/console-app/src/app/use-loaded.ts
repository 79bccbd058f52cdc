import { useEffect, useState } from 'preact/hooks';
import type { Screen, ScreenComponent } from '../screens/index.ts';

const loaded = new Map<Screen['path'], ScreenComponent>();

/** The screen's component, once its file has come. @throws what the loading ended with, if the file does not come. */
export function useLoaded(screen: Screen): ScreenComponent | undefined {
  const [, setLoaded] = useState<ScreenComponent | undefined>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    let isGone = false;
    screen.load().then(
      (component) => {
        loaded.set(screen.path, component);
        // A function given to a setter would be called.
        isGone || setLoaded(() => component);
      },
      (error: unknown) => isGone || setFailure(error),
    );
    return () => {
      isGone = true;
    };
  }, [screen]);
  if (failure !== undefined) {
    throw failure;
  }
  return loaded.get(screen.path);
}
