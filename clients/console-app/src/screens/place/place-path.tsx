import type { Place } from '../../live/tree-model.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** What the place lies in, from the outermost. */
export function PlacePath({ place }: { place: Place }) {
  const above: Place[] = [];
  for (let each = place.parent; each !== null; each = each.parent) {
    above.unshift(each);
  }
  return (
    <nav class="place-path" aria-label={texts.value.place.path}>
      <a href={href('now')}>{texts.value.screens.now}</a>
      {above.map(({ id, name }) => (
        <span key={id}>
          <span aria-hidden="true"> / </span>
          <a href={href('place', id)}>{name}</a>
        </span>
      ))}
    </nav>
  );
}
