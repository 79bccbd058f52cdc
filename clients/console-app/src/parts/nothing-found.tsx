import { texts } from '../texts/texts.ts';
import { EmptyState } from './empty-state.tsx';

/** No row is as the filters ask, with the way back to all of them. */
export function NothingFound({
  title = texts.value.items.nothingFound,
  hint,
  allHref,
}: {
  title?: string;
  hint: string;
  allHref: string;
}) {
  return (
    <EmptyState icon="search" title={title} hint={hint}>
      <a class="secondary" href={allHref}>
        {texts.value.common.showAll}
      </a>
    </EmptyState>
  );
}
