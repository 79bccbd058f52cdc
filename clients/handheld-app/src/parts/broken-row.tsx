import { Icon } from '../../../ui/parts/icon.tsx';
import { type BrokenScan, heard } from '../scanning/kept-broken-scans.ts';
import { texts } from '../texts/texts.ts';
import { timeOf } from './titles.ts';

export function BrokenRow({ broken }: { broken: BrokenScan }) {
  return (
    <li class="row" data-broken>
      <span class="dot tone-problem">
        <Icon name="problem" />
      </span>
      <span class="row-text">
        <span class="row-title">{heard(broken)}</span>
        <span class="row-sub">
          {texts.value.broken[broken.why].title}
          {texts.value.notTaken.notSent}
        </span>
      </span>
      <time class="row-time" dateTime={broken.at}>
        {timeOf(broken.at)}
      </time>
    </li>
  );
}
