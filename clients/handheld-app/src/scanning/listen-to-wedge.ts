import { type Broken, RECENT_MS, type Stroke, WedgeDecoder } from './wedge.ts';

type Field = HTMLInputElement | HTMLTextAreaElement;

interface FieldBefore {
  field: Field;
  value: string;
}

/** Listeners for scanners that type. */
export interface WedgeEars {
  /** Longest pause within a scan, in milliseconds. */
  limit(): number;
  onScan(value: string): void;
  /** Called for a scan whose value is not known completely. */
  onBroken(broken: Broken): void;
  /** Called with a scan's longest pause in milliseconds. */
  onPace(slowest: number): void;
}

/**
 * Hears keyboard wedges wherever the focus is. What they type into a field is removed again; a person's typing stays.
 *
 * @returns a function that stops it.
 */
export function listenToWedge({ limit, onScan, onBroken, onPace }: WedgeEars): () => void {
  const decoder = new WedgeDecoder<FieldBefore>(limit, performance.now());
  const stopping = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the field's current input was heard as a key. */
  let isHeard = false;
  /** Whether the key that is down ended a scan: Bluetooth may report its release late. */
  let isEndDown = false;

  const tell = (stroke: Stroke<FieldBefore>) => {
    if (stroke.kind === 'scan') {
      onPace(stroke.slowest);
      onScan(stroke.value);
    } else if (stroke.kind === 'broken') {
      if (stroke.slowest !== null) {
        onPace(stroke.slowest);
      }
      onBroken(stroke.broken);
    }
  };
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => tell(decoder.quiet(performance.now())), RECENT_MS + 50);
  };
  const onKey = (event: KeyboardEvent) => {
    isHeard = false;
    if (isOfInputMethod(event)) {
      return; // the text comes with `beforeinput`
    }
    if (event.repeat && isEndDown) {
      swallow(event);
      return;
    }
    const sense = senseOf(event);
    isHeard = sense === 'key' && [...event.key].length === 1;
    const stroke = strokeOf(decoder, event, sense);
    isEndDown = stroke.kind === 'scan' || stroke.kind === 'broken' || stroke.kind === 'end';
    withhold(event, stroke, isEndDown);
    tell(stroke);
    wait();
  };
  // Android's keyboards, and scanners behind them, tell the text but not the key; of words that grow, nothing to go by.
  const onText = (event: InputEvent) => {
    const isOfKey = isHeard;
    isHeard = false;
    if (isOfKey || !event.inputType.startsWith('insert') || !isTextField(event.target)) {
      return;
    }
    const isCharacter = event.inputType === 'insertText' && [...(event.data ?? '')].length === 1;
    isCharacter
      ? decoder.press(event.data ?? '', event.timeStamp, fieldOf(event.target))
      : decoder.unknown(event.timeStamp, fieldOf(event.target));
    wait();
  };
  const onInterruption = (event: Event) => tell(decoder.interrupt(event.timeStamp));

  const { signal } = stopping;
  document.addEventListener('keydown', onKey, { capture: true, signal });
  document.addEventListener('beforeinput', onText, { capture: true, signal });
  document.addEventListener('pointerdown', () => decoder.touch(), { capture: true, signal });
  document.addEventListener('visibilitychange', onInterruption, { signal });
  window.addEventListener('blur', onInterruption, { signal });
  window.addEventListener('focus', onInterruption, { signal });
  return () => {
    clearTimeout(timer);
    stopping.abort();
  };
}

type Sense = 'number' | 'separator' | 'command' | 'key';

/** What a key means, by what is held down with it. */
function senseOf(event: KeyboardEvent): Sense {
  if (isOfNumber(event)) {
    return 'number';
  }
  if (isGroupSeparator(event)) {
    return 'separator';
  }
  // Control by itself is on its way to become a separator.
  const isCommand =
    event.key !== 'Control' && (event.ctrlKey || event.altKey || event.metaKey || event.repeat);
  return isCommand ? 'command' : 'key';
}

function strokeOf(
  decoder: WedgeDecoder<FieldBefore>,
  { key, timeStamp, target }: KeyboardEvent,
  sense: Sense,
): Stroke<FieldBefore> {
  switch (sense) {
    case 'number':
      return decoder.unknown(timeStamp, fieldOf(target));
    case 'command':
      return decoder.command(timeStamp);
    case 'separator':
      return decoder.separator(timeStamp, fieldOf(target));
    case 'key':
      return decoder.press(key, timeStamp, fieldOf(target));
  }
}

/** Keeps a scan from the page, and takes back what it has typed. */
function withhold(event: KeyboardEvent, stroke: Stroke<FieldBefore>, isEnd: boolean): void {
  if (isEnd) {
    swallow(event); // Enter would press the button that has the focus, Tab would move it
  } else if (stroke.kind === 'burst' && !isTextField(event.target)) {
    event.preventDefault(); // a blank would press a button, or scroll
  }
  if (stroke.kind === 'scan' || stroke.kind === 'broken') {
    restore(stroke.undo);
  }
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

function isOfInputMethod({ key, isComposing }: KeyboardEvent): boolean {
  return isComposing || key === 'Unidentified' || key === 'Process';
}

/** Alt codes on the keypad: how some scanners type characters that have no key. */
function isOfNumber({ altKey, ctrlKey, code }: KeyboardEvent): boolean {
  return altKey && !ctrlKey && /^Numpad\d$/.test(code);
}

/** Ctrl+] is the group separator (0x1D), which scanners type for FNC1; by its place where a layout has no such key. */
function isGroupSeparator({ key, code, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey && !altKey && !metaKey && (key === ']' || key === '\u001d' || code === 'BracketRight');
}

function restore(befores: readonly FieldBefore[]): void {
  const firsts = new Map([...befores].reverse().map(({ field, value }) => [field, value]));
  for (const [field, value] of firsts) {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

function fieldOf(target: EventTarget | null): FieldBefore | null {
  return isTextField(target) ? { field: target, value: target.value } : null;
}

/** Radio buttons are inputs, too. */
function isTextField(target: EventTarget | null): target is Field {
  return (
    (target instanceof HTMLInputElement && target.type !== 'radio') || target instanceof HTMLTextAreaElement
  );
}
