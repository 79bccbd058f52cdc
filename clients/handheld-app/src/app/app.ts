import { computed, signal } from '@preact/signals';
import { ulid } from 'ulid';
import { hasTokenShape } from '../../../../base/scanned-text.ts';
import { cueOf, storedCueOf } from '../feedback/verdict.ts';
import { Finding } from '../finding/finding.ts';
import type { Unanswered } from '../gateway/answers.ts';
import { GatewayClient } from '../gateway/client.ts';
import type { Place } from '../gateway/place.ts';
import { Places } from '../places/places.ts';
import { DeviceClock } from '../queue/device-clock.ts';
import { Forgetting } from '../queue/forgetting.ts';
import { learnedPlaces } from '../queue/learned-places.ts';
import { QueueView } from '../queue/queue.ts';
import { Recorder } from '../queue/recorder.ts';
import { discard, queueAgain } from '../queue/refused-submissions.ts';
import { Sender } from '../queue/sender.ts';
import { forgetOldest, placeLeg } from '../queue/store.ts';
import { takeBack } from '../queue/undo.ts';
import { isUnplaced } from '../queue/unplaced.ts';
import { Walking } from '../queue/walking.ts';
import { BrokenScans } from '../scanning/kept-broken-scans.ts';
import { ScannerPace } from '../scanning/scanner-pace.ts';
import { Session, type SignIn } from '../session/session.ts';
import { KeptSettings } from '../session/settings.ts';
import { Updates } from '../session/updates.ts';
import type { Database } from '../storage/database.ts';
import { OtherTabs } from '../storage/other-tabs.ts';
import type { StoredScan } from '../storage/scan.ts';
import { changeFinished, type FinishedSweep } from '../sweep/finished-sweeps.ts';
import type { Sweep } from '../sweep/sweep.ts';
import { Sweeping } from '../sweep/sweeping.ts';
import { texts } from '../texts/texts.ts';
import { Announcer, type Notice } from './announcer.ts';
import { ScanTaker } from './scan-taker.ts';
import { Sweeps } from './sweeps.ts';

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
  readonly sweeps: Sweeps;
  readonly finding: Finding;
  readonly queue: QueueView;
  readonly sender: Sender;
  readonly updates = new Updates();
  readonly scans: ScanTaker;
  readonly refused: Refused;
  readonly undoing: Undoing;
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
  readonly #forgetting: Forgetting;
  /** Work that the last answer caused, until it is done. */
  #answering: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
    this.#forgetting = new Forgetting(database);
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
      () => this.#announcer.notTaken(texts.value.notTaken.word, texts.value.notTaken.noRoom, 'refused'),
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
      settle: (finished) => this.#settle(finished),
      onAnswered: (scans) => {
        this.#answering = this.#answered(scans);
      },
      onSwept: () => void this.#show(),
      onTakenBack: () => void this.#show(),
      onRefused: () => void this.#onRefused(),
      onUnauthorized: (token, detail) => void this.session.reject(token, detail),
    });
    this.sweeps = new Sweeps({
      ...{ sweeping: this.sweeping, queue: this.queue, sender: this.sender },
      ...{ clock: this.#clock, announcer: this.#announcer, settings: this.settings },
    });
    this.finding = new Finding({
      ...{ database, gateway, now, token: () => this.session.token.value },
      onUnauthorized: (token, detail) => void this.session.reject(token, detail),
    });
    const after = { show: () => this.#show(), send: () => this.sender.retryNow() };
    this.refused = new Refused(database, after);
    this.undoing = new Undoing({ database, announcer: this.#announcer, ...after });
  }

  get notice() {
    return this.#announcer.notice;
  }

  /** Loads what the device has stored and starts sending. */
  async start(): Promise<void> {
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
    void this.finding.refresh();
  }

  /** Looks a scan up without recording it. */
  lookFor(scanned: string): void {
    if (hasTokenShape(scanned)) {
      const { aToken, neitherSentNorKept } = texts.value.notTaken;
      this.#announcer.notTaken(aToken, neitherSentNorKept, 'refused');
      return;
    }
    this.notice.value = null;
    this.#announcer.cue('taken');
    void this.finding.search(scanned.trim());
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

  async signIn(token: string): Promise<Exclude<SignIn, { kind: 'done' }> | null> {
    const whereabouts = () => ({ sweep: this.sweeping.now.value, place: this.walking.now.value.place });
    const before = whereabouts();
    const result = await this.session.signIn(token, async (locations, isForgotten) => {
      await this.places.keep(locations);
      if (isForgotten) {
        await Promise.all([this.walking.load(), this.sweeping.load(), this.broken.load()]);
      }
      await this.walking.follow(this.places.tree.value);
    });
    if (result.kind !== 'done') {
      return result;
    }
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
    await this.#askAboutHeld();
  }

  async #answered(scans: readonly StoredScan[]): Promise<void> {
    this.#announcer.cueFor(scans, cueOf);
    await this.walking.learn(learnedPlaces(scans));
    await this.#forgetting.answered(scans.length);
    await this.#show();
    await this.sweeping.lookUp(scans);
    await this.#completeSweep();
  }

  /** By then it shows the answers to its scans, and the list that was missing at its beginning, if there is one. */
  async #settle(finished: FinishedSweep): Promise<FinishedSweep | Unanswered | null> {
    if (finished.state === 'finished') {
      await this.#answering;
      await this.#completeSweep();
    }
    return this.sweeping.report(finished);
  }

  /** Fetches the list that a sweep started without. */
  async #completeSweep(): Promise<void> {
    if (navigator.onLine) {
      await this.sweeping.complete();
      await this.#askAboutHeld();
    }
  }

  async #askAboutHeld(): Promise<void> {
    if (await this.sweeping.askAboutHeld()) {
      await this.queue.read();
    }
  }

  async #onRefused(): Promise<void> {
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

/** The user's unfinished work. */
interface Whereabouts {
  sweep: Sweep | null;
  place: Place | null;
}

/** Things that do not exist under the new token: the sweep, or the location. */
function endedBySignIn(before: Whereabouts, after: Whereabouts): Notice | null {
  const { signedIn: word, noSuchPlace: says, sweepOver, noLongerAt } = texts.value.signIn;
  if (before.sweep !== null && after.sweep === null) {
    return { word, title: sweepOver(before.sweep.place.name), says };
  }
  if (before.place !== null && after.place === null) {
    return { word, title: noLongerAt(before.place.name), says };
  }
  return null;
}

/** The user's choices for submissions that the gateway refuses. */
class Refused {
  readonly #database: Database;
  readonly #show: () => Promise<void>;
  readonly #send: () => void;

  constructor(database: Database, { show, send }: { show(): Promise<void>; send(): void }) {
    this.#database = database;
    this.#show = show;
    this.#send = send;
  }

  /** Resends scans; `place` replaces one that no longer exists. */
  async sendAgain(submissionId: string, place: Place | null): Promise<void> {
    await queueAgain(this.#database, submissionId, place);
    await this.#show();
    this.#send();
  }

  async discard(submissionId: string): Promise<void> {
    await discard(this.#database, submissionId);
    await this.#show();
  }

  /** Resends a sweep under another id: under its own, another body may have been received. */
  async sendSweepAgain(sweepId: string): Promise<void> {
    await changeFinished(this.#database, sweepId, (now) => ({
      ...now,
      ...{ sweep_id: ulid(), state: 'told', reason: null },
    }));
    await this.#show();
    this.#send();
  }

  async discardSweep(sweepId: string): Promise<void> {
    await changeFinished(this.#database, sweepId, () => null);
    await this.#show();
  }
}

interface Parts {
  database: Database;
  announcer: Announcer;
  show(): Promise<void>;
  send(): void;
}

/** Takes scans back at the user's wish. */
class Undoing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param scans by number. */
  async takeBack(scans: readonly number[]): Promise<void> {
    const { database, announcer, show, send } = this.#parts;
    await takeBack(database, scans, ulid);
    announcer.cue('same');
    await show();
    send();
  }
}
