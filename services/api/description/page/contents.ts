import { type Html, html } from './html.ts';
import type { Section } from './markdown.ts';
import { methodBadge, type Placed } from './operation-article.ts';

export interface Group {
  name: string;
  description: string;
  operations: readonly Placed[];
}

export function groupId({ name }: Group): string {
  return `about-${name.toLowerCase().replaceAll(' ', '-')}`;
}

export function contents(
  sections: readonly Section[],
  groups: readonly Group[],
  schemas: readonly string[],
): Html {
  return html`<nav id="contents" aria-label="Contents">
<h2 class="nav-title">Guide</h2>
<ul class="nav-list">${sections.map(({ id, title }) => html`<li><a class="nav-link" href="#${id}">${title}</a></li>`)}</ul>
${groups.map(
  (group) => html`<h2 class="nav-title"><a href="#${groupId(group)}">${group.name}</a></h2>
<ul class="nav-list">${group.operations.map(
    ({ method, operation: { operationId, summary } }) =>
      html`<li><a class="nav-link" href="#${operationId}">${methodBadge(method)} <span>${summary}</span></a></li>`,
  )}</ul>`,
)}
<h2 class="nav-title"><a href="#objects">Objects</a></h2>
<ul class="nav-list">${schemas.map((name) => html`<li><a class="nav-link" href="#${name}">${name}</a></li>`)}</ul>
</nav>`;
}
