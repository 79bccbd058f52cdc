import { useEffect, useState } from 'preact/hooks';
import { organizationId } from '../../api/organization.ts';
import type { Heard } from '../../api/reader.ts';
import { addressOf } from '../../api/send.ts';

export interface Listening {
  heard: Heard | undefined;
  /** It could not be begun, or has broken off; the browser tries again by itself, unless it was refused. */
  isLost: boolean;
}

/** Listens while the component is there. @param antenna 0 for all. */
export function useListen(reader: number, antenna: number): Listening {
  const [state, setState] = useState<Listening>({ heard: undefined, isLost: false });
  useEffect(() => {
    const path = `/readers/${reader}/listen`;
    const source = new EventSource(addressOf(path, { organization: organizationId.value, antenna }));
    source.addEventListener('heard', (event) => setState({ heard: JSON.parse(event.data), isLost: false }));
    source.addEventListener('error', () => setState(({ heard }) => ({ heard, isLost: true })));
    return () => source.close();
  }, [reader, antenna]);
  return state;
}
