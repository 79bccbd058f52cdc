import { useEffect, useState } from 'preact/hooks';
import { organizationId } from '../../api/organization.ts';
import { receiveEvents } from '../../api/receive-events.ts';
import { addressOf } from '../../api/send.ts';
import type { Heard } from '../../api/types.ts';

export interface Listening {
  heard: Heard | undefined;
  /** It could not be started, or broke off, and is restarted. */
  isLost: boolean;
}

/** Listens while the component is there. @param antenna 0 for all. */
export function useListen(reader: number, antenna: number): Listening {
  const [state, setState] = useState<Listening>({ heard: undefined, isLost: false });
  useEffect(() => {
    const path = `/readers/${reader}/listen`;
    setState({ heard: undefined, isLost: false });
    return receiveEvents({
      address: () => addressOf(path, { organization: organizationId.value, antenna }),
      onLost: () => setState(({ heard }) => ({ heard, isLost: true })),
      on: { heard: (event) => setState({ heard: JSON.parse(event.data), isLost: false }) },
    });
  }, [reader, antenna]);
  return state;
}
