// The service worker of the till. VERSION, FILES and OFFLINE are written before this text. Whatever says anything of
// money comes from the network alone: without one there is the frame of the till, which says so.
const CACHE = `till-${VERSION}`

addEventListener('install', (event) => event.waitUntil(install()))
addEventListener('activate', (event) => event.waitUntil(removeOld()))

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => kept(OFFLINE)))
  else if (request.method === 'GET' && FILES.includes(pathname))
    event.respondWith(fetch(request).catch(() => kept(pathname)))
})

async function install() {
  const cache = await caches.open(CACHE)
  await cache.addAll([...FILES, OFFLINE].map((path) => new Request(path, { cache: 'reload' })))
  await skipWaiting()
}

async function removeOld() {
  for (const name of await caches.keys()) if (name.startsWith('till-') && name !== CACHE) await caches.delete(name)
  await clients.claim()
}

async function kept(path) {
  const cache = await caches.open(CACHE)
  return (await cache.match(path)) ?? Response.error()
}
