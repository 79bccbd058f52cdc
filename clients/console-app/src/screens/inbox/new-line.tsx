import { Icon } from '../../../../ui/parts/icon.tsx';

/** New rows wait here, so that none moves under the finger. */
export function NewLine({ count, text, onShow }: { count: number; text: string; onShow: () => void }) {
  return (
    <div class="new-line" role="status">
      {count > 0 && (
        <button type="button" onClick={onShow}>
          <Icon name="up" />
          {text}
        </button>
      )}
    </div>
  );
}
