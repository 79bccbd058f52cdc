import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Enter {
  press: () => void;
  isWaiting: () => boolean;
  forget: () => void;
}

/** Enter chooses only among results for the complete text: pressed earlier, it waits until `isFound`. */
export function useEnter(isFound: boolean, choose: () => void): Enter {
  const waits = useRef(false);
  const press = () => {
    waits.current = !isFound;
    if (isFound) {
      choose();
    }
  };
  // A layout effect: a keystroke in the next field must not come before it, as `choose` would undo that.
  useLayoutEffect(() => {
    if (isFound && waits.current) {
      waits.current = false;
      choose();
    }
  }, [isFound]);
  return {
    press,
    isWaiting: () => waits.current,
    forget: () => {
      waits.current = false;
    },
  };
}

/**
 * Handles Esc in the topmost dialog before the browser does, which closes dialogs opened without a click together, and
 * lets nobody prevent it twice in a row.
 */
export function useEscape(dialog: RefObject<HTMLDialogElement | null>, onEscape: () => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  // As soon as it is seen.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const open = [...document.querySelectorAll('dialog:modal')];
      const question = open.find((each) => each.role === 'alertdialog');
      if (event.key === 'Escape' && !event.defaultPrevented && dialog.current === (question ?? open.at(-1))) {
        event.preventDefault();
        latest.current();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
