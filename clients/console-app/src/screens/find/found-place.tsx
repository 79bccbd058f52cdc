import { Icon } from '../../../../ui/parts/icon.tsx';
import type { FoundLocation } from '../../api/whereabouts.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

export function FoundPlace({ place }: { place: FoundLocation }) {
  return (
    <li>
      <a class="card found-place" href={href('place', place.id)}>
        <span class="dot dot-plain">
          <Icon name="place" />
        </span>
        <span>
          <span class="title">{place.name}</span> <span class="mono faint">{place.external_key}</span>
          <span class="hint">
            {place.parent !== null && `${place.parent.name} · `}
            {texts.value.find.assetsHere(place.assets_here)}
          </span>
        </span>
      </a>
    </li>
  );
}
