import test from 'ava'
import type { CardProcessor, CheckoutRead } from '../../domain/card/ports.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { closePages } from '../../domain/use-cases/card/close.ts'
import { endDueCardPages } from '../../domain/use-cases/card/end-due.ts'
import { type CardSale, payByCard } from '../../domain/use-cases/card/pay.ts'
import { lookAtCheckout } from '../../domain/use-cases/card/settle.ts'
import { cardOpened } from '../domain/card-samples.ts'
import { ACCOUNT, CHALLENGE_ID, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import type { MemoryStore } from '../support/memory-store.ts'
import { flowOn } from '../support/money.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { aboutToPayByCard } from './given.ts'
import { createMachine, createOutside, seen, watched } from './machine.ts'
import { holds } from './proving.ts'
import { learnt, type Scenario, step } from './schedule.ts'

/** Pages of a card processor that are opened, paid and closed by several at once, in processes that may die. */

const given = await aboutToPayByCard()

const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }
const PREEMPTIONS = { preemptions: 2, crashes: 0 }

test('N-31 J-CARD-01 of two who open a page at once nobody is shown one that would buy nothing', (t) =>
  holds(t, racing({ A: ['opens'], B: ['opens'], buyer: ['pays'] }), 100, PREEMPTIONS, CRASH))

test('N-05 N-31 a page that is opened while its request is canceled is closed in the end, and what was paid on it is known', (t) =>
  holds(t, racing({ A: ['opens'], B: ['cancels'], buyer: ['pays'] }), 100, PREEMPTIONS, CRASH))

test('N-31 X-IDEM-04 whoever comes back and the sweep take what was paid on a page once, also while a coin is paid', (t) =>
  holds(t, racing({ A: ['opens', 'looks'], B: ['coin', 'sweeps'], buyer: ['pays'] }), 100, PREEMPTION, CRASH))

type Actor = 'opens' | 'cancels' | 'looks' | 'coin' | 'sweeps' | 'pays'

const { requestId } = cardOpened.paymentRequest
const sale: CardSale = {
  accountId: ACCOUNT,
  resId: null,
  paymentRequest: cardOpened.paymentRequest,
  origin: requestId,
  amount: '48000000',
  currency: 'EUR',
  webhookUrl: null,
  test: false,
  until: '2026-03-02T12:00:00.000Z',
  back: 'https://daybook.example/id/pr_1',
}

/** One that knows no repeat, so that whoever asks is given a page of their own. */
const createProcessor = () => {
  const pages = new Map<string, CheckoutRead>()
  const call = async <T>(what: string, act: () => T): Promise<T> => {
    await step(what, { crash: true })
    const answer = act()
    learnt(JSON.stringify(answer))
    return answer
  }
  const change = (id: string, facts: Partial<CheckoutRead>) =>
    pages.set(id, { ...(pages.get(id) as CheckoutRead), ...facts })
  const cards: Partial<CardProcessor> = {
    openCheckout: (_, { reference, charged, currency }) =>
      call('opens a page', () => {
        const sessionId = `cs_${pages.size + 1}`
        const page = { sessionId, reference, status: 'open' as const, isPaid: false, url: sessionId, paymentId: null }
        pages.set(sessionId, { ...page, charged, currency, live: true })
        return { ...page, charged, currency, live: true }
      }),
    readCheckout: (_, id) => call(`reads ${id}`, () => pages.get(id)),
    closeCheckout: (_, id) =>
      call(`closes ${id}`, () => {
        if (pages.get(id)?.status === 'open') change(id, { status: 'expired', url: null })
        return pages.get(id)
      }),
    alarm: () => {},
  }
  const pay = (id: string) => {
    if (pages.get(id)?.status === 'open')
      change(id, { status: 'complete', isPaid: true, url: null, paymentId: `pi_${id}` })
  }
  return { pages, pay, cards: cards as CardProcessor }
}

/** Pages that the read model would tell of. */
const dueIn = (store: MemoryStore) => async () => {
  const events = store.events()
  const ended = new Set(
    events.filter(({ type }) => /^CardPayment(Settled|SetAside|Failed)$/.test(type)).map(({ stream }) => stream),
  )
  const isOver = events.some(({ type }) => type === 'PaymentRequestPaid' || type === 'PaymentRequestWithdrawn')
  return events
    .filter(({ type, stream }) => isOver && type === 'CardPaymentOpened' && !ended.has(stream))
    .map(({ stream, at }) => ({ id: idOf(stream), accountId: ACCOUNT, expiresAt: at }))
}

const racing =
  (actors: { readonly [process: string]: readonly Actor[] }): Scenario =>
  (start) => {
    const outside = createOutside(given)
    const processor = createProcessor()
    const shown: string[] = []
    const done = new Set<string>()
    const round = (flow: Parameters<typeof endDueCardPages>[0]) =>
      endDueCardPages(flow, { cardPagesDue: dueIn(outside.store) }, '', (error) => {
        throw error
      })
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const { ledger, store, world } = createMachine(self, outside, { store: watched(outside.store) })
        const flow = { ...flowOn(store, ledger, world as never), cards: processor.cards }
        const acts: Record<Exclude<Actor, 'pays'>, () => Promise<unknown>> = {
          opens: async () => {
            const { url } = await payByCard(flow, sale)
            if (url !== null) shown.push(url)
          },
          cancels: async () =>
            (await closePages(flow, requestId)) || ledger.paymentRequest.withdraw(requestId, { reason: 'deleted' }),
          looks: async () => {
            const opened = outside.store.events().find(({ type }) => type === 'CardPaymentOpened')
            if (opened) await lookAtCheckout(flow, idOf(opened.stream))
          },
          coin: () => seen(ledger, CHALLENGE_ID, transferData),
          sweeps: () => round(flow),
        }
        for (const actor of own)
          if (actor === 'pays')
            self.follow('pays', async () => {
              await step('pays', { ready: () => shown.length > 0 })
              for (const id of shown) processor.pay(id)
            })
          else if (!done.has(`${process} ${actor}`))
            self.task(actor, async () => {
              await acts[actor]().catch((error: unknown) => {
                if (!isRefusal(error, 'unavailable', 'state-forbids')) throw error
              })
              done.add(`${process} ${actor}`)
            })
      })
    const checkBooks = createCheck()
    return {
      shared: () => JSON.stringify([outside.shared(), ...processor.pages.values(), shown, [...done]]),
      always: () => checkBooks(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        const ledger = ledgerOn(outside.store, world)
        const flow = { ...flowOn(outside.store, ledger, world), cards: processor.cards }
        for (const event of outside.store.events())
          if (event.type === 'CardPaymentOpened') await lookAtCheckout(flow, idOf(event.stream))
        await round(flow)
        await runPolicies(outside.store, ledger, world)
        const events = outside.store.events()
        checkBooks(events)
        const count = (type: string) => countOf(events, type)
        const pages = [...processor.pages.values()]
        if (pages.filter(({ isPaid }) => isPaid).length !== count('CardPaymentReported'))
          throw new Error('money that nobody knows of')
        if (count('CardPaymentSettled') + count('CardPaymentSetAside') !== count('CardPaymentReported'))
          throw new Error('a payment by card that came to nothing')
        const isOver = count('PaymentRequestPaid') + count('PaymentRequestWithdrawn') > 0
        const open = shown.filter((id) => processor.pages.get(id)?.status === 'open')
        if (isOver && open.length > 0) throw new Error('somebody can pay what takes no payment any more')
        if (count('CardPaymentSettled') + count('ChallengeSettled') > 1) throw new Error('it was sold twice')
      },
    }
  }
