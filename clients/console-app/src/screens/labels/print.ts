import { type ComponentChild, render } from 'preact';
import type { LabelSize } from './sizes.ts';

/**
 * Prints `sheets` by themselves: beside the app, which is not printed (`labels.css`), on paper of their size. A style sheet
 * made by a script is no inline style, so the content security policy has nothing against it.
 */
export function print(sheets: ComponentChild, { page }: LabelSize): void {
  const paper = new CSSStyleSheet();
  paper.replaceSync(`@page { size: ${page.width}mm ${page.height}mm; margin: 0 }`);
  const place = document.createElement('div');
  place.className = 'label-print';
  document.body.append(place);
  render(sheets, place);
  document.adoptedStyleSheets.push(paper);
  const done = () => {
    render(null, place);
    place.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== paper);
  };
  window.addEventListener('afterprint', done, { once: true });
  window.print();
}
