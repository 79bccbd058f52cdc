import { hasTokenShape, plainValue } from '../../../../base/scanned-text.ts';
import { kindFound } from '../../../../domain/tracking/kind-found.ts';
import { type Location, placeOf } from '../gateway/place.ts';
import type { Places } from '../places/places.ts';
import type { Recorder } from '../queue/recorder.ts';
import type { Walking } from '../queue/walking.ts';
import { guessTagType } from '../scanning/guess-tag-type.ts';
import { type BrokenScans, heard } from '../scanning/kept-broken-scans.ts';
import { whyUnusable } from '../scanning/usable-value.ts';
import type { Broken } from '../scanning/wedge.ts';
import type { Session } from '../session/session.ts';
import type { KeptSettings } from '../session/settings.ts';
import type { Sweeping } from '../sweep/sweeping.ts';
import { texts } from '../texts/texts.ts';
import type { Announcer } from './announcer.ts';

interface Parts {
  session: Session;
  settings: KeptSettings;
  places: Places;
  walking: Walking;
  sweeping: Sweeping;
  broken: BrokenScans;
  recorder: Recorder;
  announcer: Announcer;
  now(): Date;
}

/** Decides what a scanned or typed value is, and has it recorded or says why it was not taken. */
export class ScanTaker {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Accepts a scanned or typed value. Its time is now; everything else may wait. */
  take(scanned: string): void {
    const { announcer, session, sweeping, walking } = this.#parts;
    const said = texts.value.notTaken;
    if (!session.isOpen.value) {
      announcer.notTaken(said.noToken, said.signInFirst, 'refused');
      return;
    }
    if (hasTokenShape(scanned)) {
      announcer.notTaken(said.aToken, said.neitherSentNorKept, 'refused');
      return;
    }
    const observed_at = this.#parts.now().toISOString();
    const { value, tagType, isGuessed, location } = this.#recognized(scanned);
    const unusable = whyUnusable(tagType, value);
    if (unusable !== null) {
      announcer.notTaken(said.notATag, unusable);
      return;
    }
    const sweep = sweeping.open;
    if (sweep !== null && location !== null && location.id !== sweep.place.id) {
      announcer.notTaken(said.tagOf(location.name), said.sweepIsOf(sweep.place.name));
      return;
    }
    announcer.notice.value = null;
    const walk = walking.now.value;
    const place = sweep?.place ?? walk.place;
    const sets = location === null ? null : placeOf(location);
    const scan = {
      tag_type: tagType,
      guessed: isGuessed,
      value,
      observed_at,
      place,
      leg: walk.leg,
      sets,
      sweep: sweep?.id ?? null,
      isHeld: sweep?.isCheck === true,
    };
    if (sets !== null && sets.id !== walk.place?.id) {
      walking.now.value = walking.next(sets);
    }
    this.#parts.recorder.record(scan, walking.now.value);
  }

  /** The place whose tag it is, if the device knows. */
  placeOf(scanned: string): Location | null {
    return this.#recognized(scanned).location;
  }

  /** Keeps an incomplete scan for display only: its rest may be another tag's value. */
  takeBroken(broken: Broken): void {
    const { announcer, session } = this.#parts;
    const { title, says } = texts.value.broken[broken.why];
    if (!session.isOpen.value) {
      announcer.notTaken(title, says);
      return;
    }
    const kept = this.#parts.broken.keep(broken, this.#parts.now().toISOString());
    announcer.notTaken(title, texts.value.notTaken.heard(says, heard(kept)));
  }

  /** The kind of tag: as the user set, as the tree knows it, or guessed. */
  #recognized(scanned: string) {
    const { settings, places } = this.#parts;
    const chosen = settings.now.value.tagType;
    const isGuessed = chosen === 'auto';
    const value = isGuessed || chosen === 'barcode' ? scanned.trim() : plainValue(scanned.trim());
    const { value: tree } = places.tree;
    const tagType = isGuessed
      ? kindFound(guessTagType(value), (each) => tree.byTag(each, value) !== null)
      : chosen;
    return { value, tagType, isGuessed, location: tree.byTag(tagType, value) };
  }
}
