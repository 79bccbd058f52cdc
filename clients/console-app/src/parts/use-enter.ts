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
