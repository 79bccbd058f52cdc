import { ADVICE } from '../scanning/broken-scan-advice.ts';
import { type BrokenScan, heard } from '../scanning/kept-broken-scans.ts';
import { Icon } from './icon.tsx';
import { timeOf } from './titles.ts';

export function BrokenRow({ broken }: { broken: BrokenScan }) {
  return (
    <li class="row" data-broken>
      <span class="dot tone-problem">
        <Icon name="problem" />
      </span>
      <span class="row-text">
        <span class="row-title">{heard(broken)}</span>
        <span class="row-sub">{ADVICE[broken.why].title} · not sent</span>
      </span>
      <time class="row-time" dateTime={broken.at}>
        {timeOf(broken.at)}
      </time>
    </li>
  );
}
