/** Seconds before the next attempt after a refusal; the browser itself repeats broken ones. */
const PAUSES = [1, 2, 5, 10, 30];

export interface EventReceiver {
  /** Called for each attempt. */
  address: () => string;
  onOpen?: () => void;
  /** It broke off or was refused, and is restarted. */
  onLost: () => void;
  on: Readonly<Record<string, (event: MessageEvent<string>) => void>>;
}

/**
 * Server-sent events for as long as they are wanted. An `EventSource` gives up for good at any answer but 200, be it of a
 * proxy while the server restarts, or of a limit; here it is begun again. Returns what ends it.
 */
export function receiveEvents({ address, onOpen, onLost, on }: EventReceiver): () => void {
  let source: EventSource | undefined;
  let refusals = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    const begun = new EventSource(address());
    source = begun;
    begun.addEventListener('open', () => {
      refusals = 0;
      onOpen?.();
    });
    begun.addEventListener('error', () => {
      onLost();
      if (begun.readyState === EventSource.CLOSED) {
        const seconds = PAUSES[Math.min(refusals, PAUSES.length - 1)] ?? 1;
        refusals += 1;
        retry = setTimeout(connect, seconds * 1_000);
      }
    });
    for (const [name, take] of Object.entries(on)) {
      begun.addEventListener(name, take);
    }
  };
  connect();
  return () => {
    source?.close();
    clearTimeout(retry);
  };
}
