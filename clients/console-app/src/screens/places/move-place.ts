import { patch } from '../../api/send.ts';
import { asApiError } from '../../api/use-read.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { problemText } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { texts } from '../../texts/texts.ts';

/**
 * Puts a place into another, or on top where `into` is null, and says so with an undo; or why not. The tree shows it at once:
 * the server's is up to a second old.
 */
export function movePlace(
  model: TreeModel,
  place: Place,
  into: Place | null,
  redraw: () => void,
): Promise<void> {
  const from = place.parent;
  const send = async (to: Place | null) => {
    await patch(`/locations/${place.id}`, { parent_id: to?.id ?? null });
    model.reparent(place.id, to?.id ?? null);
    redraw();
  };
  const t = texts.value.placeTree;
  const refused = (to: Place | null, error: unknown) => {
    const isCycle = to !== null && model.isWithin(to, place);
    toast(isCycle ? t.cycle(place.name, to.name) : problemText(asApiError(error)));
  };
  if (into === from) {
    return Promise.resolve();
  }
  return send(into).then(
    () =>
      toast(into === null ? t.onTop(place.name) : t.moved(place.name, into.name), () =>
        send(from).catch((error: unknown) => refused(from, error)),
      ),
    (error: unknown) => refused(into, error),
  );
}
