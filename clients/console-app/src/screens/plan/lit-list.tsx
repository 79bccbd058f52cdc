import type { TreeModel } from '../../live/tree-model.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import type { Lit } from './use-lit.ts';

/** What was found, where it is, and whether that is on the plan. */
export function LitList({ lit: { places, assets, elsewhere }, model }: { lit: Lit; model: TreeModel }) {
  const t = texts.value.plan;
  const isNothing = assets.length === 0 && elsewhere.length === 0 && places?.size === 0;
  return (
    <div class="lit-list card" role="status">
      {isNothing && <p class="hint">{t.nothingFound}</p>}
      <ul>
        {assets.slice(0, MOST).map(({ asset, shownAt }) => (
          <li key={asset.id}>
            <a class="title" href={href('asset', asset.id)}>
              {asset.name}
            </a>{' '}
            <span class="hint">
              {asset.location === null ? texts.value.assets.nowhere : asset.location.name}
              {asset.location !== null && shownAt === null && ` (${t.notHere})`}
              {shownAt !== null && shownAt !== asset.location?.id && ` (${model.place(shownAt)?.name})`}
            </span>
          </li>
        ))}
        {elsewhere.slice(0, MOST).map(({ id, name }) => (
          <li key={`place-${id}`}>
            <a class="title" href={href('place', id)}>
              {name}
            </a>{' '}
            <span class="hint">({t.notHere})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const MOST = 6;
