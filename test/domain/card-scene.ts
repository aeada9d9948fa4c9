import type { CardProcessor, CheckoutRead } from '../../domain/card/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import type { CardSale } from '../../domain/use-cases/card/pay.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { cardOpened, connectedProcessor } from './card-samples.ts'
import { flow } from './flow-setup.ts'
import { ACCOUNT, recordedTransaction, requestOpened } from './samples.ts'

/** Payments by card without HTTP: the flows on a log in memory, and a processor that is not there. */

const { requestId, transactionId } = cardOpened.paymentRequest

/** A processor that opens pages and remembers them, and knows a repeat by its key. */
const pages = () => {
  type Page = CheckoutRead & { expiresAt: string; idempotencyKey: string; productId: string }
  const opened = new Map<string, Page>()
  const alarms: string[] = []
  /** What happens while a page is being opened; and whether anybody answers. */
  const outside = { meanwhile: async (): Promise<unknown> => undefined, isDown: false }
  const known = (id: string) => {
    if (outside.isDown) throw new Refusal('unavailable')
    const { expiresAt: _, idempotencyKey: __, productId: ___, ...told } = opened.get(id) ?? ({} as Page)
    return told.sessionId === undefined ? undefined : told
  }
  const change = (id: string, change: Partial<Page>) => opened.set(id, { ...(opened.get(id) as Page), ...change })
  const cards = {
    async openCheckout(_: string, { reference, charged, currency, expiresAt, idempotencyKey, productId }) {
      const before = [...opened.values()].find((page) => page.idempotencyKey === idempotencyKey)
      if (before && before.productId !== productId) throw new Refusal('unavailable', 'the key is taken')
      const sessionId = before?.sessionId ?? `cs_${opened.size + 1}`
      const url = `https://pay.example/${sessionId}`
      const page = { sessionId, reference, status: 'open' as const, isPaid: false, url, paymentId: null, live: true }
      if (!before) opened.set(sessionId, { ...page, charged, currency, expiresAt, idempotencyKey, productId })
      await outside.meanwhile()
      return { ...page, charged, currency }
    },
    readCheckout: async (_: string, id: string) => known(id),
    async closeCheckout(_: string, id: string) {
      if (known(id)?.status === 'open') change(id, { status: 'expired', url: null })
      return known(id)
    },
    alarm: (message: string) => alarms.push(message),
  } satisfies Partial<CardProcessor>
  const pay = (id: string) => change(id, { status: 'complete', isPaid: true, url: null, paymentId: `pi_${id}` })
  return { opened, outside, alarms, pay, cards: cards as unknown as CardProcessor }
}

/** A seller who takes cards, a request that may be paid by one until then, and what is sold by it. */
export const scene = async (expiresAt: string) => {
  const world = fixedWorld()
  const { cards, ...processor } = pages()
  const store = memoryStore()
  const secrets = JSON.stringify({ secretKey: 'sk_live_1', webhookSecret: 'whsec_1' })
  const parts: UseCaseContext = {
    ...flow(store, world),
    cards,
    vault: { open: async () => secrets } as unknown as UseCaseContext['vault'],
  }
  const { ledger } = parts
  await ledger.cardProcessor.connect(ACCOUNT, connectedProcessor)
  await ledger.paymentRequest.open(requestId, { ...requestOpened, accountId: ACCOUNT, transactionId, expiresAt })
  await ledger.transaction.create(transactionId, { ...recordedTransaction, challengeId: null, resId: null, requestId })
  const sale: CardSale = {
    accountId: ACCOUNT,
    resId: null,
    paymentRequest: cardOpened.paymentRequest,
    origin: requestId,
    amount: '48000000',
    currency: 'USD',
    webhookUrl: null,
    test: false,
    until: expiresAt,
    back: 'https://daybook.example/id/pr_1',
  }
  const said = (type: string) => store.events().filter((event) => event.type === type).length
  return { store, world, parts, sale, said, ...processor }
}
