import type { Route } from '../http/route.ts';

/** What the description reads of a route. */
export type DescribedRoute = Omit<Route<never>, 'answer'>;

/** Routes about one thing. */
export interface DescribedResource {
  name: string;
  description: string;
  routes: readonly DescribedRoute[];
}

/** The part of a resource that is for everyone; null if there is none. */
export function publicPart(resource: DescribedResource): DescribedResource | null {
  const routes = resource.routes.filter(({ isInternal }) => !isInternal);
  return routes.length === 0 ? null : { ...resource, routes };
}

/** A route's path with examples in place of its parameters. */
export function examplePath({ path, params }: DescribedRoute): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]?.example ?? 1));
}
