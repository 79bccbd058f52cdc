/** The app's other tabs on this device: they share what is kept there, and read it anew when told to. */
export class OtherTabs {
  readonly #channel = new BroadcastChannel('tagtrail-queue');

  constructor(onChange: () => void) {
    this.#channel.onmessage = onChange;
  }

  /** Something that they show, or work with, has changed. */
  tell(): void {
    this.#channel.postMessage('changed');
  }
}
