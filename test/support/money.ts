/** Users, apps and money between them, without HTTP: flows on any ledger, and what has to be true of every log. */

import {
  type AccountRef,
  appRef,
  type ReceivedPart,
  type SentTransfer,
  userRef,
} from '../../domain/balance/transfer-terms.ts'
import { addIntervals } from '../../domain/kernel/calendar.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { completeIntent, confirmIntent, createIntent } from '../../domain/use-cases/balance/intent.ts'
import { approveMandate, createMandate } from '../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import type { EventType, LedgerEvent } from '../../domain/write-side/deciders.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { flow } from '../domain/flow-setup.ts'
import { ledgerOn, runPolicies } from './ledger.ts'
import { memoryStore } from './memory-store.ts'
import { openVault } from './open-vault.ts'
import { type FixedWorld, fixedWorld } from './world.ts'

export const SUB = 'usr_1'
export const CLIENT = 'app_1'

/** The flows with a vault that seals nothing and asks nobody, so that it is no step of a schedule. */
export const flowOn = (store: EventStore, ledger: Ledger, world: FixedWorld): UseCaseContext => ({
  ...flow(store, world, openVault(world)),
  ledger,
})

/** Credit from the operator to an account, which nobody need have registered. */
export const grant = (ledger: Ledger, to: AccountRef, amount: string, name: string) => {
  const [transferId, id] = [`grant:${to} ${name}`, `${to} ${name}`]
  const sent = { transferId, ledgerRef: transferId, kind: 'grant', total: amount, legs: [{ to, amount }] } as const
  return ledger.creditGrant.send(id, { ...sent, clientId: null, request: '', description: null })
}

/** An intent of the app that its user has confirmed. */
export const confirmedIntent = async (on: UseCaseContext, amount: bigint, sub = SUB, clientId = CLIENT) => {
  const { intentId } = await createIntent(on, {
    sub,
    clientId,
    amount,
    description: 'a book',
    redirectUri: 'https://a.test/cb',
    appState: '0123456789abcdef',
    idempotencyKey: undefined,
  })
  const { code } = await confirmIntent(on, intentId, { amr: ['pwd', 'otp'] })
  return { intentId, code, complete: (by: UseCaseContext) => completeIntent(by, { clientId, intentId, code }) }
}

type Wish = Parameters<typeof createMandate>[1]
export const mandateWish: Wish = {
  sub: SUB,
  clientId: CLIENT,
  mode: 'adhoc',
  perDebitCap: 5n,
  lifetimeCap: 10n,
  cooldown: 'none',
  schedAmount: null,
  schedInterval: null,
  description: 'books',
  redirectUri: 'https://a.test/cb',
  appState: '0123456789abcdef',
  idempotencyKey: undefined,
}

/** A mandate that its user has approved. */
export const approvedMandate = async (on: UseCaseContext, wish: Partial<Wish> = {}): Promise<string> => {
  const { mandateId } = await createMandate(on, { ...mandateWish, ...wish })
  await approveMandate(on, mandateId)
  return mandateId
}

export const newFlow = (store: EventStore, ledger: Ledger, seed: string): UseCaseContext =>
  flowOn(store, ledger, fixedWorld(seed))

/** A user and an app with so much each, and their books, checked whenever they are looked at. */
export const moneyScene = async (user = 10n, app = 10n) => {
  const store = memoryStore()
  const world = fixedWorld()
  const ledger = ledgerOn(store, world)
  const carry = async () => {
    await runPolicies(store, ledger, world)
    checkRest(store.events())
    checkOrders(store.events())
    checkRefunds(store.events())
  }
  const fund = async (to: AccountRef, amount: bigint, name = 'first') => {
    if (amount > 0n) await grant(ledger, to, String(amount), name)
    await carry()
  }
  await fund(userRef(SUB), user)
  await fund(appRef(CLIENT), app)
  const balances = async () => {
    await carry()
    return [(await ledger.userBalance.read(SUB)).balance, (await ledger.appCredit.read(CLIENT)).balance] as const
  }
  const transfers = () => sentIn(store.events())
  return { store, world, ledger, on: flowOn(store, ledger, world), carry, fund, balances, transfers }
}

const SENT = ['BalanceSent', 'AppCreditSent', 'CreditGrantSent', 'TopUpSettled']
const RECEIVED = ['BalanceReceived', 'AppCreditReceived']

export const sentIn = (events: readonly RecordedEvent[]) =>
  events.filter(({ type }) => SENT.includes(type)).map(({ data }) => data as SentTransfer)

/** Checks a log each time that it has grown. */
export const createMoneyCheck = (): ((events: readonly RecordedEvent[]) => void) => {
  let checked = -1
  return (events) => {
    if (events.length > checked) checkMoney(events)
    checked = events.length
  }
}

/** Throws with the first rule that the log breaks, whatever is on its way (I-BAL-01 to I-BAL-05). */
const checkMoney = (events: readonly RecordedEvent[]): void => {
  const accounts = new Map<string, bigint>()
  const sent = new Map<string, SentTransfer>()
  const given = new Set<string>()
  for (const { type, stream, data, ...event } of events) {
    for (const { account, amount } of postingsOf({ type, data, stream }).filter(({ asset }) => asset === 'USD'))
      accounts.set(account, (accounts.get(account) ?? 0n) + BigInt(amount))
    if (SENT.includes(type)) {
      const transfer = data as SentTransfer
      if (sent.has(transfer.transferId)) throw new Error(`${transfer.transferId} was sent twice`)
      if (sumOf(transfer) !== BigInt(transfer.total))
        throw new Error(`the legs of ${transfer.transferId} are not its total`)
      sent.set(transfer.transferId, transfer)
    }
    if (RECEIVED.includes(type)) checkPart(stream, data as ReceivedPart, sent, given)
    const counted = 'balance' in data && accounts.get(accountOf(stream))
    if (counted !== false && String(counted) !== data.balance)
      throw new Error(`${stream} says ${data.balance} at ${event.revision}, and has ${counted}`)
    for (const [account, balance] of accounts)
      if (balance < 0n && /^(user|app|in-transit)/.test(account))
        throw new Error(`${account} is below zero: ${balance}`)
  }
  const sum = [...accounts.values()].reduce((total, each) => total + each, 0n)
  if (sum !== 0n) throw new Error(`${sum} came from nowhere`)
}

/**
 * The same, and nothing is on its way any more: every part has arrived, every transfer is entered, every paid intent
 * completed.
 */
export const checkRest = (events: readonly RecordedEvent[]): void => {
  checkMoney(events)
  const parts = events.filter(({ type }) => RECEIVED.includes(type)).length
  const legs = sentIn(events).reduce((count, transfer) => count + transfer.legs.length, 0)
  if (parts !== legs) throw new Error(`${legs - parts} parts are on their way at rest`)
  const entered = events.filter(({ type }) => type === 'LedgerEntryBooked').map(({ stream }) => idOf(stream))
  const refs = sentIn(events).map(({ ledgerRef }) => ledgerRef)
  if (entered.sort().join() !== refs.sort().join()) throw new Error(`entered are ${entered}, sent ${refs}`)
  const completed = events.filter(({ type }) => type === 'IntentCompleted').map(({ stream }) => idOf(stream))
  const paid = sentIn(events).flatMap(({ kind, intentId }) => (kind === 'intent' ? [intentId ?? ''] : []))
  if (completed.sort().join() !== paid.sort().join()) throw new Error(`completed are ${completed}, paid ${paid}`)
}

/** No intent was given back more often than it was paid. */
export const checkRefunds = (events: readonly RecordedEvent[]): void => {
  for (const { stream, data } of only(events, 'IntentCreated')) {
    const refunds = sentIn(events).filter(({ kind, intentId }) => kind === 'refund' && intentId === idOf(stream))
    const sum = refunds.reduce((total, each) => total + BigInt(each.total), 0n)
    if (sum > BigInt(data.amount)) throw new Error(`${sum} of ${data.amount} were given back`)
  }
}

/** No standing order has taken more than its user has approved (I-BAL-04). */
export const checkOrders = (events: readonly RecordedEvent[]): void => {
  for (const { data: terms } of only(events, 'StandingOrderActivated')) {
    const debits = only(events, 'BalanceSent').filter(({ data }) => data.mandateId === terms.mandateId)
    const amounts = debits.map(({ data }) => BigInt(data.total))
    const sum = amounts.reduce((total, each) => total + each, 0n)
    if (sum > BigInt(terms.lifetimeCap) || amounts.some((each) => each > BigInt(terms.perDebitCap)))
      throw new Error(`${terms.mandateId} has taken ${amounts} of ${terms.perDebitCap} and ${terms.lifetimeCap}`)
    const times = debits.map(({ data }) => data.order?.at ?? '')
    if (times.some((at) => at < terms.approvedAt || at >= terms.validUntil)) throw new Error(`debits at ${times}`)
    const { cooldown } = terms
    const early = (at: string, i: number) => cooldown !== 'none' && at < addIntervals(times[i] ?? '', cooldown, 1)
    if (times.slice(1).some(early)) throw new Error(`debits within a cooldown: ${times}`)
    if (terms.schedAmount !== null && amounts.some((each) => each > BigInt(terms.schedAmount ?? 0)))
      throw new Error(`${terms.mandateId} has taken ${amounts} of ${terms.schedAmount} at once`)
    const periods = debits.map(({ data }) => data.order?.period)
    if (terms.mode === 'scheduled' && new Set(periods).size < periods.length) throw new Error(`periods ${periods}`)
    const due = periods.map((n) =>
      n == null ? '' : addIntervals(terms.approvedAt, terms.schedInterval ?? 'weekly', n),
    )
    if (times.some((at, i) => at < (due[i] ?? ''))) throw new Error(`debits at ${times}, due at ${due}`)
  }
}

const only = <T extends EventType>(events: readonly RecordedEvent[], type: T) =>
  events.filter((event): event is RecordedEvent<Extract<LedgerEvent, { type: T }>> => event.type === type)

const checkPart = (stream: string, part: ReceivedPart, sent: ReadonlyMap<string, SentTransfer>, given: Set<string>) => {
  const account = `${stream.startsWith('user') ? 'user' : 'app'}:${idOf(stream)}`
  const leg = sent.get(part.transferId)?.legs.find(({ to }) => to === account)
  if (leg?.amount !== part.amount)
    throw new Error(`${account} received ${part.amount} of ${part.transferId}, which is not its part`)
  const name = `${account} ${part.transferId}`
  if (given.has(name)) throw new Error(`${account} received ${part.transferId} twice`)
  given.add(name)
}

const accountOf = (stream: string) =>
  stream.startsWith('userBalance') ? `user:${idOf(stream)}:balance` : `app:${idOf(stream)}:credit`

const sumOf = ({ legs }: SentTransfer) => legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
