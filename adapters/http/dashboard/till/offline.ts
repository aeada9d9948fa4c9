import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { TILL_ASSETS, tillOfflinePage } from '../../pages/dashboard/till/frame.ts'
import { TILL, TILL_OFFLINE } from '../../pages/dashboard/till/paths.ts'
import { ofGuests } from '../of-dashboard.ts'

/** What makes the till a program of its own: its service worker, and the page that is shown without a network. */

const offline = endpoint({
  ...ofGuests,
  method: 'get',
  path: TILL_OFFLINE,
  summary: 'What the till shows while there is no network: nothing that needs one',
  answer: async ({ actor }) => tillOfflinePage(actor),
})

const worker = endpoint({
  method: 'get',
  path: `${TILL}/worker.js`,
  summary: 'The service worker of the till, which keeps its own files alone',
  auth: 'guest',
  waits: 'never',
  ignores: 'query',
  returns: z.string(),
  produces: 'text/javascript',
  answer: async () =>
    new Reply(200, await workerText(), {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
      // It is for the till alone, whose address is above the one of this file.
      'Service-Worker-Allowed': TILL,
      'Content-Security-Policy': "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
    }),
})

export const tillOfflineEndpoints = [offline, worker]

let text: Promise<string> | undefined

/** Made once: another version of a file makes another worker, which takes the place of the one before. */
const workerText = (): Promise<string> => {
  text ??= written()
  return text
}

const written = async (): Promise<string> => {
  const own = await fileOf('dashboard/till/worker.js')
  const files = await Promise.all(TILL_ASSETS.map(fileOf))
  const pages = ['en', 'de'].map((languages) => String(tillOfflinePage({ languages }).body))
  const hash = createHash('sha256')
  for (const each of [own, ...files, ...pages]) hash.update(each)
  const known = {
    VERSION: hash.digest('hex').slice(0, VERSION_DIGITS),
    FILES: TILL_ASSETS.map((name) => `/assets/${name}`),
    OFFLINE: TILL_OFFLINE,
  }
  const lines = Object.entries(known).map(([name, value]) => `const ${name} = ${JSON.stringify(value)}\n`)
  return lines.join('') + own
}

const VERSION_DIGITS = 16

const fileOf = (name: string): Promise<string> => readFile(new URL(`../../pages/${name}`, import.meta.url), 'utf8')
