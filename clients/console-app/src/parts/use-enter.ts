import { useLayoutEffect, useRef } from 'preact/hooks';

interface Enter {
  press: () => void;
  isWaiting: () => boolean;
  forget: () => void;
}

/**
 * Enter chooses among what was found for all that was typed, never among what was found before: pressed earlier, it
 * waits until `isFound`.
 */
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
