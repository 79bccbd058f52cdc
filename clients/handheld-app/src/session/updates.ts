import { signal } from '@preact/signals';

const HOUR_MS = 3_600_000;

/**
 * Keeps the installed app up to date. A new version is fetched in the background and takes over when the user says so
 * or the app was closed: never in the middle of a scan.
 */
export class Updates {
  readonly isReady = signal(false);
  #waiting: ServiceWorker | null = null;

  async start(): Promise<void> {
    // Only pages that came over TLS, or from this machine, have workers.
    const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker;
    if (workers === undefined) {
      return;
    }
    const registration = await workers.register('/worker.js', { updateViaCache: 'none' }).catch(() => null);
    if (!registration) {
      return; // no network yet, or a browser that keeps nothing: the app runs, and tries again at its next start
    }
    this.#offer(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => this.#offer(registration.waiting));
    });
    const check = () => void registration.update().catch(() => {}); // no network: later
    setInterval(check, HOUR_MS);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') {
        check();
      }
    });
  }

  /** Reloads the page under the waiting version. */
  apply(): void {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    this.#waiting?.postMessage('take-over');
  }

  /** The very first version replaces nothing. */
  #offer(waiting: ServiceWorker | null): void {
    this.#waiting = waiting;
    this.isReady.value = waiting !== null && navigator.serviceWorker.controller !== null;
  }
}
