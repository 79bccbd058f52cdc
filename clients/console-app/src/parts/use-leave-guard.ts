import { useLayoutEffect } from 'preact/hooks';
import type { Address } from '../router/address.ts';
import { guardLeaving } from '../router/router.ts';
import { texts } from '../texts/texts.ts';
import { confirm } from './confirm.tsx';

/** Whether typed text is not wanted any more. */
export function askToDiscard(): Promise<boolean> {
  const t = texts.value.common;
  return confirm({ title: t.discardTitle, body: t.discardBody, action: t.discard, isDangerous: true });
}

/** While something is unsaved the user is asked before it is left: by a link, the back button, or closing the tab. */
export function useLeaveGuard(
  isUnsaved: boolean,
  isInside: (to: Address) => boolean,
  ask: () => Promise<boolean> = askToDiscard,
): void {
  // Before anything is painted: what looks changed is guarded.
  useLayoutEffect(() => {
    if (!isUnsaved) {
      return undefined;
    }
    const stay = (event: Event) => event.preventDefault();
    const endGuard = guardLeaving({ isInside, ask });
    window.addEventListener('beforeunload', stay);
    return () => {
      endGuard();
      window.removeEventListener('beforeunload', stay);
    };
  }, [isUnsaved]);
}
