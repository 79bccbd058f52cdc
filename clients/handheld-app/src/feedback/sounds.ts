/** Sounds and vibrations, for not having to look. */
export type Cue = 'taken' | 'good' | 'same' | 'place' | 'problem' | 'refused';

interface Note {
  pitch: number;
  /** Start and length, in seconds. */
  at: number;
  lasts: number;
  shape: OscillatorType;
}

const tone = (pitch: number, at: number, lasts: number, shape: OscillatorType = 'triangle'): Note => ({
  pitch,
  at,
  lasts,
  shape,
});

/** Rising is good, level is nothing new, low and rough is a problem: distinct in a loud hall. */
const NOTES: Record<Cue, readonly Note[]> = {
  taken: [tone(1568, 0, 0.04)],
  good: [tone(880, 0, 0.08), tone(1319, 0.08, 0.12)],
  same: [tone(784, 0, 0.1)],
  place: [tone(523, 0, 0.09), tone(659, 0.09, 0.09), tone(784, 0.18, 0.16)],
  problem: [tone(196, 0, 0.16, 'square'), tone(196, 0.2, 0.16, 'square')],
  refused: [tone(330, 0, 0.14, 'square'), tone(247, 0.15, 0.14, 'square'), tone(165, 0.3, 0.24, 'square')],
};

/** Milliseconds on, off, on. */
const VIBRATIONS: Record<Cue, number[]> = {
  taken: [15],
  good: [40],
  same: [25],
  place: [30, 40, 30],
  problem: [120, 80, 120],
  refused: [200, 80, 200],
};

export class Sounds {
  #context: AudioContext | undefined;

  play(cue: Cue, isLoud: boolean): void {
    // A vibration right after the page was opened works only if the user has touched it.
    const activation: UserActivation | undefined = navigator.userActivation;
    if (activation?.hasBeenActive !== false) {
      navigator.vibrate?.(VIBRATIONS[cue]);
    }
    if (!isLoud) {
      return;
    }
    this.#context ??= new AudioContext();
    // Browsers hold sound back until the user touched the page or pressed a key; a scanner's keys are such.
    void this.#context.resume();
    for (const note of NOTES[cue]) {
      this.#sound(this.#context, note);
    }
  }

  #sound(context: AudioContext, { pitch, at, lasts, shape }: Note): void {
    const start = context.currentTime + at;
    const volume = context.createGain();
    // Square waves sound louder than they are; and no note starts or ends with a click.
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(shape === 'square' ? 0.25 : 0.6, start + 0.005);
    volume.gain.setValueAtTime(shape === 'square' ? 0.25 : 0.6, start + lasts - 0.02);
    volume.gain.linearRampToValueAtTime(0, start + lasts);
    const oscillator = new OscillatorNode(context, { type: shape, frequency: pitch });
    oscillator.connect(volume).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + lasts);
  }
}
