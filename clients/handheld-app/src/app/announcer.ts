import { signal } from '@preact/signals';
import { type Cue, Sounds } from '../feedback/sounds.ts';
import { type Verdict, verdictOf } from '../feedback/verdict.ts';
import type { StoredScan } from '../storage/scan.ts';
import { texts } from '../texts/texts.ts';

/** Something to tell the user that no scan shows, such as a scan that was not accepted. */
export interface Notice {
  word: string;
  title: string;
  says: string;
}

/** Tells the user by sound, vibration and word. */
export class Announcer {
  /** Why the last scan was not accepted, or what signing in has ended; cleared by the next. */
  readonly notice = signal<Notice | null>(null);
  readonly #sounds = new Sounds();
  readonly #isOn: () => boolean;

  constructor(isOn: () => boolean) {
    this.#isOn = isOn;
  }

  /** A scan that the app cannot accept is heard and shown, never dropped silently. */
  notTaken(title: string, says: string, cue: 'problem' | 'refused' = 'problem'): void {
    this.notice.value = { word: texts.value.notTaken.word, title, says };
    this.cue(cue);
  }

  cueFor(scans: readonly StoredScan[], choose: (verdicts: Verdict[]) => Cue | null): void {
    const cue = choose(scans.map((scan) => verdictOf({ scan, known: null })));
    if (cue !== null) {
      this.cue(cue);
    }
  }

  cue(cue: Cue): void {
    this.#sounds.play(cue, this.#isOn());
  }
}
