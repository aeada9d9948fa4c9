import { eventually } from '../../../src/demo/stage.ts'
import type { TestApp } from '../app.ts'
import { look, requestOf } from '../buyer.ts'
import { shop } from '../sale.ts'
import { ok } from '../seller.ts'
import type { CardProcessor } from './processor.ts'
import type { Thing } from './state.ts'

/** A seller who takes cards, and a buyer who pays with one. */

export const PATH = '/v1/card-processor'

export type Rail = {
  readonly hook: string
  readonly secret: string
  readonly secretKey: string
}

/** Connects an account at the processor to the seller's. */
export const takesCards = async (
  app: Pick<TestApp, 'call'>,
  processor: CardProcessor,
  key: string,
  how: { live?: boolean } = { live: true },
): Promise<Rail> => {
  const { keys } = processor.account(how)
  const { json } = await ok(app.call('POST', PATH, { key, body: keys }))
  return { hook: json.webhook_endpoint, secret: keys.webhook_secret, secretKey: keys.secret_key }
}

/** A new seller's request, paid on the processor's page; nobody has told of it yet. */
export const paidUntold = async (app: TestApp, processor: CardProcessor, body: object) => {
  const s = await shop(app)
  const rail = await takesCards(app, processor, s.key)
  const session = await goToCard(app, processor, await requestOf(app, s, body))
  processor.pay(session.id)
  return { s, rail, session }
}

/** Follows the link to the processor; answers the session that is open there. */
export const goToCard = async (app: TestApp, processor: CardProcessor, page: string): Promise<Thing> => {
  const [path = ''] = page.split('?')
  const { text } = await look(app, page)
  const link = [...text.matchAll(/href="(\?pay=card[^"]*)"/g)].map(([, each]) =>
    (each ?? '').replaceAll('&amp;', '&'),
  )[0]
  if (link === undefined) throw new Error(`no card is offered at ${page}`)
  const { status, headers, text: said } = await look(app, `${path}${link}`)
  const id = /\/pay\/(cs_\w+)$/.exec(headers.get('location') ?? '')?.[1]
  const session = processor.state.sessions.get(id ?? '')
  if (status !== 303 || !session)
    throw new Error(`paying by card answered ${status}: ${headers.get('location')} ${said}`)
  return session
}

/** The page that the processor sends the buyer back to, on our side. */
export const backOf = (session: Thing): string => {
  const { pathname, search } = new URL(String(session.success_url))
  return `${pathname}${search}`
}

/** Tells Daybook what has become of a session, as the processor does. */
export const told = (processor: CardProcessor, { hook, secret }: Rail, type: string, thing: object) =>
  processor.tell(hook, secret, processor.event(type, thing))

/** The one transaction that fits, once it does. */
export const transactionWith = (app: TestApp, key: string, fits: (t: Record<string, string>) => boolean) =>
  eventually('the transaction', async () => {
    const { json } = await ok(app.call('GET', '/v1/transactions?limit=500', { key }))
    return (json.transactions as Record<string, string>[]).find(fits)
  })
