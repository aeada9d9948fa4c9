import { toUnits } from '../../domain/kernel/money.ts'
import type { Answer } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'
import { inLine } from './sale.ts'
import { ok } from './seller.ts'

/** A person with a browser that runs no script: looks, follows links, sends forms, and pays what the page says. */

/** What browsers send when an address is typed. */
export const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

export const look = (app: TestApp, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  app.call('GET', path, { headers: { accept: BROWSER, ...headers } })

/** What the middle of a page says, without markup. */
export const saidIn = ({ text }: Answer): string =>
  (/<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? '')
    .replace(/<svg.*?<\/svg>/gs, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

/** Follows the link of a coin; answers the path of the page that it leads to. */
export const choose = async (app: TestApp, path: string, asset: string): Promise<string> => {
  const { text } = await look(app, path)
  const href = [...text.matchAll(/href="(\?[^"]*)"/g)].map(([, each]) => (each ?? '').replaceAll('&amp;', '&'))
  const link = href.find((each) => new URLSearchParams(each).get('asset') === asset)
  if (!link) throw new Error(`${asset} is not offered at ${path}`)
  const { status, headers } = await look(app, `${path.split('?')[0]}${link}`)
  const location = headers.get('location')
  if (status !== 303 || !location) throw new Error(`choosing ${asset} answered ${status}`)
  return location
}

export type PageOffer = { challengeId: string; payTo: string; amount: string }

/** What the page asks for, as its copy buttons have it. */
export const offerOn = async (app: TestApp, page: string): Promise<PageOffer> => {
  const { text } = await look(app, page)
  const copied = (what: string) => new RegExp(`data-copy="([^"]*)" data-what="${what}"`).exec(text)?.[1] ?? ''
  const challengeId = new URL(page, 'http://any').searchParams.get('challenge') ?? ''
  return { challengeId, payTo: copied('address'), amount: copied('amount') }
}

/** Pays Ether as the page says, or another amount of it, mined once; answers the hash. */
export const payPage = async (app: TestApp, page: string, times = { by: 1n, of: 1n }): Promise<string> => {
  const { payTo, amount } = await offerOn(app, page)
  const wei = (toUnits(amount, 18) * times.by) / times.of
  return inLine(() => app.anvil.send(payTo, wei))
}

/** Sends the form with a transaction's hash; answers where it leads. */
export const postHash = async (app: TestApp, page: string, hash: string): Promise<string> => {
  const { pathname, searchParams } = new URL(page, 'http://any')
  const form = new URLSearchParams({ challenge: searchParams.get('challenge') ?? '', hash })
  const headers = { accept: BROWSER, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await app.call('POST', pathname, { headers, body: form.toString() })
  if (answer.status !== 303) throw new Error(`the form answered ${answer.status}: ${answer.text}`)
  return answer.headers.get('location') ?? ''
}

/** Asks for a payment by a link; answers its path. */
export const requestOf = async (app: TestApp, { key }: { key: string }, body: object): Promise<string> =>
  new URL((await ok(app.call('POST', '/v1/payment-requests', { key, body }))).json.url).pathname
