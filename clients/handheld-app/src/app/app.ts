import { computed, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ulid } from 'ulid';
import { hasTokenShape } from '../../../../base/tag-secrets.ts';
import { type Cue, Sounds } from '../feedback/sounds.ts';
import { cueOf, storedCueOf, type Verdict, verdictOf } from '../feedback/verdict.ts';
import { GatewayClient } from '../gateway/client.ts';
import { type Place, placeOf } from '../gateway/place.ts';
import { Places } from '../places/places.ts';
import { DeviceClock } from '../queue/device-clock.ts';
import { forgetTokens } from '../queue/forget-tokens.ts';
import { learnedPlaces } from '../queue/learned-places.ts';
import { QueueView } from '../queue/queue.ts';
import { Recorder } from '../queue/recorder.ts';
import { Sender } from '../queue/sender.ts';
import { discard, forgetOldest, placeLeg, queueAgain } from '../queue/store.ts';
import { isUnplaced } from '../queue/unplaced.ts';
import { Walking } from '../queue/walking.ts';
import { ADVICE } from '../scanning/advice.ts';
import { BrokenScans, heard } from '../scanning/broken-scans.ts';
import { guessTagType } from '../scanning/guess-tag-type.ts';
import { ScannerPace } from '../scanning/scanner-pace.ts';
import { whyUnusable } from '../scanning/usable-value.ts';
import type { Broken } from '../scanning/wedge.ts';
import { Session } from '../session/session.ts';
import { KeptSettings } from '../session/settings.ts';
import { Updates } from '../session/updates.ts';
import type { Database } from '../storage/database.ts';
import { OtherTabs } from '../storage/other-tabs.ts';
import type { StoredScan } from '../storage/scan.ts';
import type { Sweep } from '../sweep/sweep.ts';
import { Sweeping } from '../sweep/sweeping.ts';

/** Something to tell the user that no scan shows, such as a scan that was not accepted. */
export interface Notice {
  word: string;
  title: string;
  says: string;
}

/** Answers after which old scans are pruned again: an app that is never closed must not fill the device. */
const FORGET_EVERY = 1_000;

/** Milliseconds between requests for a list that a sweep started without. */
const SWEEP_LIST_EVERY_MS = 10_000;

const now = () => new Date();

/** The app's parts and how they work together; used by the screens. */
export class App {
  readonly session: Session;
  readonly settings: KeptSettings;
  readonly pace: ScannerPace;
  readonly broken: BrokenScans;
  readonly places: Places;
  readonly walking: Walking;
  readonly sweeping: Sweeping;
  readonly queue: QueueView;
  readonly sender: Sender;
  readonly updates = new Updates();
  /** Why the last scan was not accepted, or what signing in has ended; cleared by the next. */
  readonly notice = signal<Notice | null>(null);
  /** Recent scans made before any place was chosen. */
  readonly unplaced = computed(() => {
    const { unplaced } = this.walking.now.value;
    return this.queue.recent.value.filter(({ scan }) => scan.leg === unplaced && isUnplaced(scan)).length;
  });
  /** Token scanned while nobody was signed in. */
  readonly tokenScanned = signal<string | null>(null);
  readonly #recorder: Recorder;
  readonly #clock: DeviceClock;
  readonly #sounds = new Sounds();
  readonly #database: Database;
  #answersSinceForgetting = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#clock = new DeviceClock(now, () => performance.now());
    const gateway = new GatewayClient(now, (gatewayTime) => this.#clock.heard(gatewayTime));
    const otherTabs = new OtherTabs(() => void this.#changedElsewhere());
    this.session = new Session(database, gateway, otherTabs);
    this.settings = new KeptSettings(database);
    this.pace = new ScannerPace(database, () => this.settings.now.value.pauses);
    this.broken = new BrokenScans(database);
    this.places = new Places(database, gateway, now);
    this.walking = new Walking(database, ulid);
    this.sweeping = new Sweeping({
      database,
      gateway,
      clock: now,
      otherTabs,
      token: () => this.session.token.value,
    });
    this.queue = new QueueView(database, otherTabs);
    this.#recorder = new Recorder(
      database,
      (scans) => void this.#stored(scans),
      () =>
        this.#notTaken(
          'Not taken',
          'This device has no room left to keep it. Send what is queued first.',
          'refused',
        ),
    );
    this.sender = new Sender({
      database,
      gateway,
      clock: this.#clock,
      token: () => this.session.token.value,
      newId: ulid,
      random: Math.random,
      isOffline: () => !navigator.onLine,
      onAnswered: (scans) => void this.#answered(scans),
      onRefused: () => void this.#refused(),
      onUnauthorized: (token, detail) => void this.session.reject(token, detail),
    });
  }

  /** Loads what the device has stored and starts sending. */
  async start(): Promise<void> {
    await forgetTokens(this.#database);
    const kept = [this.session, this.settings, this.pace, this.broken];
    const parts = [...kept, this.places, this.walking, this.sweeping];
    await Promise.all([...parts.map((part) => part.load()), this.queue.read()]);
    window.addEventListener('online', () => this.online());
    window.addEventListener('offline', () => this.sender.wake());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') {
        this.online();
      }
    });
    // A gateway that could not be reached comes back without the device hearing of it.
    setInterval(() => void this.#completeSweep(), SWEEP_LIST_EVERY_MS);
    this.online();
    void forgetOldest(this.#database);
  }

  /** Called when the network may be back. */
  online(): void {
    this.sender.retryNow();
    void this.#refreshPlaces();
    void this.#completeSweep();
  }

  /** Accepts a scanned or typed value. Its time is now; everything else may wait. */
  scan(scanned: string): void {
    if (!this.session.isOpen.value) {
      this.#notTaken('Not a handheld’s token', 'Sign in first: until then nothing else is taken.', 'refused');
      return;
    }
    if (hasTokenShape(scanned)) {
      this.#notTaken('That is a token, not a tag', 'It is neither sent nor kept.', 'refused');
      return;
    }
    const observed_at = now().toISOString();
    const { value, tagType, location } = this.#recognized(scanned);
    const unusable = whyUnusable(tagType, value);
    if (unusable !== null) {
      this.#notTaken('Not a tag', unusable);
      return;
    }
    const sweep = this.sweeping.open;
    if (sweep !== null && location !== null && location.id !== sweep.place.id) {
      this.#notTaken(`The tag of ${location.name}`, `This sweep is of ${sweep.place.name}. Finish it first.`);
      return;
    }
    this.notice.value = null;
    const walk = this.walking.now.value;
    const place = sweep?.place ?? walk.place;
    const sets = location === null ? null : placeOf(location);
    const scan = {
      tag_type: tagType,
      value,
      observed_at,
      place,
      leg: walk.leg,
      sets,
      sweep: sweep?.id ?? null,
    };
    if (sets !== null && sets.id !== walk.place?.id) {
      this.walking.now.value = this.walking.next(sets);
    }
    this.#recorder.record(scan, this.walking.now.value);
  }

  /** Keeps an incomplete scan for display only: what is left of it may be another tag's value. */
  scanWasBroken(broken: Broken): void {
    const { title, says } = ADVICE[broken.why];
    if (!this.session.isOpen.value) {
      this.#notTaken(title, says);
      return;
    }
    const kept = this.broken.keep(broken, now().toISOString());
    this.#notTaken(title, `${says} Heard: ${heard(kept)}. Nothing was sent.`);
  }

  /** Changes the user's place. */
  async goTo(place: Place): Promise<void> {
    await this.walking.choose(place);
    this.#cue('place');
  }

  /** Assigns the scans made before a place was known to `place`. */
  async placeEarlier(place: Place): Promise<void> {
    const { unplaced } = this.walking.now.value;
    if (unplaced !== null) {
      await placeLeg(this.#database, unplaced, place);
      await this.#show();
      this.sender.retryNow();
    }
  }

  /** Starts a sweep of the user's place. */
  async startSweep(place: Place): Promise<void> {
    this.notice.value = null;
    await this.sweeping.start(ulid(), place);
  }

  /** Resends what was refused; `place` replaces one that no longer exists. */
  async sendAgain(submissionId: string, place: Place | null): Promise<void> {
    await queueAgain(this.#database, submissionId, place);
    await this.#show();
    this.sender.retryNow();
  }

  async discard(submissionId: string): Promise<void> {
    await discard(this.#database, submissionId);
    await this.#show();
  }

  async signIn(token: string): Promise<{ detail: string } | null> {
    const before = { sweep: this.sweeping.now.value, place: this.walking.now.value.place };
    const result = await this.session.signIn(token);
    if (result.kind !== 'done') {
      return { detail: result.detail };
    }
    this.notice.value = null;
    await this.places.keep(result.locations);
    await Promise.all([this.walking.load(), this.sweeping.load(), this.broken.load()]);
    await this.walking.follow(this.places.tree.value);
    this.notice.value = this.#endedSince(before);
    // Asks the browser not to make room at the cost of what is queued.
    void navigator.storage?.persist?.();
    await this.queue.changed();
    this.online();
    return null;
  }

  async signOut(): Promise<void> {
    this.notice.value = null;
    await this.session.signOut();
  }

  async #refreshPlaces(): Promise<void> {
    const token = this.session.token.value;
    if (token !== null && navigator.onLine) {
      await this.places.refresh(token, () => this.session.token.value === token);
      await this.walking.follow(this.places.tree.value);
    }
  }

  /** Whether the sweep, or the place, does not exist under the new token. */
  #endedSince({ sweep, place }: { sweep: Sweep | null; place: Place | null }): Notice | null {
    const word = 'Signed in';
    const says = 'This token’s organization has no such place. Choose where you are.';
    if (sweep !== null && this.sweeping.now.value === null) {
      return { word, title: `The sweep of ${sweep.place.name} is over`, says };
    }
    if (place !== null && this.walking.now.value.place === null) {
      return { word, title: `You are no longer at ${place.name}`, says };
    }
    return null;
  }

  /** A scan that the app cannot accept is heard and shown, never dropped silently. */
  #notTaken(title: string, says: string, cue: 'problem' | 'refused' = 'problem'): void {
    this.notice.value = { word: 'Not taken', title, says };
    this.#cue(cue);
  }

  /** The kind of tag: as the user set, as the tree knows it, or guessed. */
  #recognized(scanned: string) {
    const value = scanned.trim();
    const chosen = this.settings.now.value.tagType;
    const { tree } = this.places;
    const types = chosen === 'auto' ? ([guessTagType(value), 'barcode', 'rfid', 'ble'] as const) : [chosen];
    for (const tagType of types) {
      const location = tree.value.byTag(tagType, value);
      if (location !== null) {
        return { value, tagType, location };
      }
    }
    return { value, tagType: types[0], location: null };
  }

  async #stored(scans: readonly StoredScan[]): Promise<void> {
    this.#clock.made(scans);
    this.#cueFor(scans, storedCueOf);
    this.sender.wake();
    await this.#show();
  }

  async #answered(scans: readonly StoredScan[]): Promise<void> {
    this.#cueFor(scans, cueOf);
    await this.walking.learn(learnedPlaces(scans));
    await this.#forgetOldest(scans.length);
    await this.#show();
    await this.sweeping.lookUp(scans);
    await this.#completeSweep();
  }

  /** Fetches the list that a sweep started without. */
  async #completeSweep(): Promise<void> {
    if (navigator.onLine) {
      await this.sweeping.complete();
    }
  }

  async #forgetOldest(answers: number): Promise<void> {
    this.#answersSinceForgetting += answers;
    if (this.#answersSinceForgetting >= FORGET_EVERY) {
      this.#answersSinceForgetting = 0;
      await forgetOldest(this.#database);
    }
  }

  async #refused(): Promise<void> {
    this.#cue('refused');
    // Mostly because the place is gone: the tree says so.
    void this.#refreshPlaces();
    await this.#show();
  }

  /** Tabs walk independently; sign-in and sweep are shared. */
  async #changedElsewhere(): Promise<void> {
    const { handheld } = this.session.stored.value;
    await Promise.all([this.queue.read(), this.session.load(), this.sweeping.load(), this.broken.load()]);
    if (this.session.stored.value.handheld !== handheld) {
      await this.places.load();
      await this.walking.follow(this.places.tree.value);
    }
  }

  async #show(): Promise<void> {
    await Promise.all([this.queue.changed(), this.sweeping.recount()]);
  }

  #cueFor(scans: readonly StoredScan[], choose: (verdicts: Verdict[]) => Cue | null): void {
    const cue = choose(scans.map((scan) => verdictOf({ scan, known: null })));
    if (cue !== null) {
      this.#cue(cue);
    }
  }

  #cue(cue: Cue): void {
    this.#sounds.play(cue, this.settings.now.value.sound);
  }
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) {
    throw new Error('outside of the app');
  }
  return app;
}
