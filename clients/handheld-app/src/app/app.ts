import { computed, signal } from '@preact/signals';
import { ulid } from 'ulid';
import { cueOf, storedCueOf } from '../feedback/verdict.ts';
import { GatewayClient } from '../gateway/client.ts';
import type { Place } from '../gateway/place.ts';
import { Places } from '../places/places.ts';
import { DeviceClock } from '../queue/device-clock.ts';
import { forgetTokens } from '../queue/forget-tokens.ts';
import { learnedPlaces } from '../queue/learned-places.ts';
import { QueueView } from '../queue/queue.ts';
import { Recorder } from '../queue/recorder.ts';
import { discard, queueAgain } from '../queue/refused-submissions.ts';
import { Sender } from '../queue/sender.ts';
import { forgetOldest, placeLeg } from '../queue/store.ts';
import { isUnplaced } from '../queue/unplaced.ts';
import { Walking } from '../queue/walking.ts';
import { BrokenScans } from '../scanning/kept-broken-scans.ts';
import { ScannerPace } from '../scanning/scanner-pace.ts';
import { Session } from '../session/session.ts';
import { KeptSettings } from '../session/settings.ts';
import { Updates } from '../session/updates.ts';
import type { Database } from '../storage/database.ts';
import { OtherTabs } from '../storage/other-tabs.ts';
import type { StoredScan } from '../storage/scan.ts';
import { Sweeping } from '../sweep/sweeping.ts';
import { Announcer } from './announcer.ts';
import { endedBySignIn } from './ended-by-sign-in.ts';
import { ScanTaker } from './scan-taker.ts';

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
  readonly scans: ScanTaker;
  /** Recent scans made before any place was chosen. */
  readonly unplaced = computed(() => {
    const { unplaced } = this.walking.now.value;
    return this.queue.recent.value.filter(({ scan }) => scan.leg === unplaced && isUnplaced(scan)).length;
  });
  /** Token scanned while nobody was signed in. */
  readonly tokenScanned = signal<string | null>(null);
  readonly #clock: DeviceClock;
  readonly #announcer: Announcer;
  readonly #database: Database;
  #answersSinceForgetting = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#clock = new DeviceClock(now, () => performance.now());
    const gateway = new GatewayClient(now, (gatewayTime) => this.#clock.heard(gatewayTime));
    const otherTabs = new OtherTabs(() => void this.#changedElsewhere());
    this.session = new Session(database, gateway, otherTabs);
    this.settings = new KeptSettings(database);
    this.#announcer = new Announcer(() => this.settings.now.value.sound);
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
    const recorder = new Recorder(
      database,
      (scans) => void this.#stored(scans),
      () =>
        this.#announcer.notTaken(
          'Not taken',
          'This device has no room left to keep it. Send what is queued first.',
          'refused',
        ),
    );
    this.scans = new ScanTaker({
      session: this.session,
      settings: this.settings,
      places: this.places,
      walking: this.walking,
      sweeping: this.sweeping,
      broken: this.broken,
      recorder,
      announcer: this.#announcer,
      now,
    });
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

  get notice() {
    return this.#announcer.notice;
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

  async goTo(place: Place): Promise<void> {
    await this.walking.choose(place);
    this.#announcer.cue('place');
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

  async startSweep(place: Place): Promise<void> {
    this.#announcer.notice.value = null;
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
    const whereabouts = () => ({ sweep: this.sweeping.now.value, place: this.walking.now.value.place });
    const before = whereabouts();
    const result = await this.session.signIn(token);
    if (result.kind !== 'done') {
      return { detail: result.detail };
    }
    this.#announcer.notice.value = null;
    await this.places.keep(result.locations);
    await Promise.all([this.walking.load(), this.sweeping.load(), this.broken.load()]);
    await this.walking.follow(this.places.tree.value);
    this.#announcer.notice.value = endedBySignIn(before, whereabouts());
    // Asks the browser not to make room at the cost of what is queued.
    void navigator.storage?.persist?.();
    await this.queue.changed();
    this.online();
    return null;
  }

  async signOut(): Promise<void> {
    this.#announcer.notice.value = null;
    await this.session.signOut();
  }

  async #refreshPlaces(): Promise<void> {
    const token = this.session.token.value;
    if (token !== null && navigator.onLine) {
      await this.places.refresh(token, () => this.session.token.value === token);
      await this.walking.follow(this.places.tree.value);
    }
  }

  async #stored(scans: readonly StoredScan[]): Promise<void> {
    this.#clock.made(scans);
    this.#announcer.cueFor(scans, storedCueOf);
    this.sender.wake();
    await this.#show();
  }

  async #answered(scans: readonly StoredScan[]): Promise<void> {
    this.#announcer.cueFor(scans, cueOf);
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
    this.#announcer.cue('refused');
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
}
