import { Component, type ComponentChildren } from 'preact';
import { EmptyState } from '../parts/empty-state.tsx';
import { texts } from '../texts/texts.ts';

/** A screen that fails takes no other with it. */
export class ScreenBoundary extends Component<{ children: ComponentChildren }, { failure: unknown }> {
  override state = { failure: undefined };

  static override getDerivedStateFromError(failure: unknown) {
    return { failure };
  }

  override componentDidCatch(failure: unknown): void {
    console.error(failure);
  }

  override render() {
    const t = texts.value.shell;
    const { failure } = this.state;
    if (failure === undefined) {
      return this.props.children;
    }
    return (
      <EmptyState isPage icon="problem" title={t.screenFailed} hint={t.screenFailedHint}>
        <p class="mono hint">{String(failure)}</p>
        <button type="button" class="secondary" onClick={() => location.reload()}>
          {t.reload}
        </button>
      </EmptyState>
    );
  }
}
