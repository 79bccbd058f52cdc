/**
 * Runs work that Ctrl-C (or SIGTERM) asks to stop at its next good moment, which `isAsked` tells. A second signal ends
 * the process at once, as ever.
 */
export async function interruptible<Result>(
  work: (isAsked: () => boolean) => Promise<Result>,
): Promise<Result> {
  let isAsked = false;
  const ask = () => {
    isAsked = true;
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) {
    process.once(signal, ask);
  }
  try {
    return await work(() => isAsked);
  } finally {
    for (const signal of signals) {
      process.off(signal, ask);
    }
  }
}
