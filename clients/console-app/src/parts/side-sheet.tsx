import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import type { Action } from '../api/use-action.ts';
import { texts } from '../texts/texts.ts';
import { ProblemNote } from './problem-note.tsx';
import { Toasts } from './toast.tsx';
import { useEscape } from './use-keys.ts';
import { askToDiscard, useLeaveGuard } from './use-leave-guard.ts';

/**
 * A panel from the side, on phones from below. Esc, the cross and a click outside close it, after a question if typed
 * text would be lost.
 */
export function SideSheet({
  title,
  sub,
  onClose,
  isForm = false,
  isChanged = false,
  foot,
  children,
}: {
  title: string;
  sub?: ComponentChildren;
  onClose: () => void;
  /** Begins with a form: the first field gets the focus. */
  isForm?: boolean;
  /** There is unsaved text. */
  isChanged?: boolean;
  /** Buttons that stay in sight. */
  foot?: ComponentChildren;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    dialog.current?.showModal();
    if (isForm) {
      dialog.current?.querySelector<HTMLElement>('.side-body :is(input, select, textarea)')?.focus();
    }
  }, []);
  const opened = useRef(location.hash);
  useLeaveGuard(isChanged, () => location.hash === opened.current);
  const leave = async () => {
    if (!isChanged || (await askToDiscard())) {
      onClose();
    }
  };
  useEscape(dialog, () => void leave());
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by keys a dialog closes with Esc
    <dialog
      ref={dialog}
      class="side"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        void leave();
      }}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && void leave()}
    >
      <div class="side-inner">
        <div class="side-head">
          <div>
            <h2 id={id}>{title}</h2>
            {sub !== undefined && <p class="hint">{sub}</p>}
          </div>
          <button
            type="button"
            class="quiet"
            aria-label={texts.value.common.close}
            onClick={() => void leave()}
          >
            <Icon name="close" />
          </button>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what can have the focus */}
        <div class="side-body" tabIndex={0}>
          {children}
        </div>
        <div class="side-end">
          {/* What is outside a dialog cannot be clicked while it is open. */}
          <Toasts />
          {foot !== undefined && <div class="side-foot">{foot}</div>}
        </div>
      </div>
    </dialog>
  );
}

/** A sheet that is one form, with its button below and the refusal behind its fields. */
export function FormSheet({
  submit = texts.value.common.save,
  isReady = true,
  action: { run, isBusy, problem },
  shown = [],
  others,
  onSubmit,
  children,
  ...sheet
}: Omit<Parameters<typeof SideSheet>[0], 'foot'> & {
  /** The verb on the button. */
  submit?: string;
  isReady?: boolean;
  action: Action;
  /** Names of the fields that show their own faults. */
  shown?: readonly string[];
  /** More buttons. */
  others?: ComponentChildren;
  onSubmit: () => Promise<unknown>;
}) {
  const id = useId();
  return (
    <SideSheet
      {...sheet}
      foot={
        <>
          <button type="submit" form={id} class="primary" disabled={isBusy || !isReady}>
            {submit}
          </button>
          {others}
        </>
      }
    >
      <form
        id={id}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(onSubmit);
        }}
      >
        {children}
        {problem !== null && <ProblemNote problem={problem} shown={shown} />}
      </form>
    </SideSheet>
  );
}
