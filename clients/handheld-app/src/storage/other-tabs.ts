/** The app's other tabs on this device, which share its storage and reload it when notified. */
export class OtherTabs {
  readonly #channel = new BroadcastChannel('tagtrail-queue');

  constructor(onChange: () => void) {
    this.#channel.onmessage = onChange;
  }

  tell(): void {
    this.#channel.postMessage('changed');
  }
}
