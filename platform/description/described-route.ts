import type { Route } from '../http/route.ts';

export type DescribedRoute = Omit<Route<never>, 'answer'>;

export interface DescribedResource {
  name: string;
  description: string;
  routes: readonly DescribedRoute[];
}

export function publicPart(resource: DescribedResource): DescribedResource | null {
  const routes = resource.routes.filter(({ isInternal }) => !isInternal);
  return routes.length === 0 ? null : { ...resource, routes };
}

export function examplePath({ path, params }: DescribedRoute): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]?.example ?? 1));
}
