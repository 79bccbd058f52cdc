// Makes the app open without a network. What the app is made of is kept under its version, all of it before the new
// version is taken (`install`), and dropped when the next one takes over (`activate`). A new version waits until the
// page asks for it or the app was closed: nobody loses a screen while scanning. Requests to the gateway pass by.
declare const self: ServiceWorkerGlobalScope;
declare const APP_VERSION: string;
declare const APP_FILES: readonly string[];
/** Cached at first use. */
declare const LATER_FILES: readonly string[];

const CACHE = `tagtrail-${APP_VERSION}`;

self.addEventListener('install', (event) => {
  event.waitUntil(keepFiles());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(dropOtherVersions().then(() => self.clients.claim()));
});

self.addEventListener('message', (event) => {
  if (event.data === 'take-over') {
    event.waitUntil(self.skipWaiting());
  }
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  const isOurs = url.origin === self.location.origin && event.request.method === 'GET';
  if (!isOurs || url.pathname.startsWith('/handheld/')) {
    return;
  }
  const isPage = event.request.mode === 'navigate' && url.pathname === '/';
  if (isPage || APP_FILES.includes(url.pathname.slice(1))) {
    event.respondWith(kept(isPage ? '/' : url.pathname, event.request));
  } else if (LATER_FILES.includes(url.pathname.slice(1))) {
    event.respondWith(keptFromNowOn(event.request));
  }
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  // Past the browser's own cache, which may hold the page of the version before.
  await cache.addAll(
    ['/', ...APP_FILES.map((file) => `/${file}`)].map((path) => new Request(path, { cache: 'reload' })),
  );
}

async function dropOtherVersions(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

async function kept(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(path)) ?? fetch(request);
}

async function keptFromNowOn(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const before = await cache.match(request.url);
  if (before !== undefined) {
    return before;
  }
  const response = await fetch(request);
  if (response.ok) {
    await cache.put(request.url, response.clone());
  }
  return response;
}
