import { z } from 'zod'
import { nameOf } from '../../../../domain/account/named.ts'
import { minorDigits } from '../../../../domain/kernel/currencies.ts'
import { FIAT_DECIMALS } from '../../../../domain/kernel/money.ts'
import { isRefusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { onceOf } from '../../../../domain/use-cases/once.ts'
import { askPayment } from '../../../../domain/use-cases/selling/challenges/ask-payment.ts'
import { FiatAmount, fiatUnits } from '../../agent/common/amounts.ts'
import { inScope } from '../../core/actor.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { StoreNumber, storeOf } from '../../core/stores.ts'
import { localeFor } from '../../pages/dashboard/messages/locale.ts'
import { type KeypadPage, keypadPage, type TillStores } from '../../pages/dashboard/till/keypad.ts'
import { saleAt, TILL } from '../../pages/dashboard/till/paths.ts'
import { seeOther } from '../../pages/people-page.ts'
import { type FormFaults, faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'

/** The keypad of the till: a sale at the counter is the payment request of `POST /v1/payment-requests`. */

/** What every page and form of the till declares: whoever may ask for payments may use it. */
export const ofTill = {
  ...ofMembers,
  reach: 'store',
  callers: { capability: 'payment-links.create' },
} as const

/** A name of a form that the till gave out. */
export const FormName = z.string().regex(/^tf_[a-z2-7]{26}$/, 'has to be the name of a form of the till')

/** How long the buyer at the counter has to pay. */
export const SALE_EXPIRY = '15m'

const NOTE_MAX = 500
const TYPED_MAX = 300
const FIELDS = ['amount', 'note'] as const
const common = { ...ofTill, path: TILL } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The till of a store: a keypad for what a buyer at the counter pays',
  query: z.object({ store: StoreNumber.optional() }),
  refusals: [...common.refusals, 'store-not-found'],
  answer: async ({ query: { store }, ...request }) =>
    show(request, await storeOf(request.flow, request.actor.actor, store), {}),
})

const charge = endpoint({
  ...common,
  method: 'post',
  when: { act: 'charge' },
  summary: 'Asks a buyer at the counter for an amount; leads to the sale and its code',
  body: z.object({
    csrf,
    form: FormName,
    store: StoreNumber,
    amount: z.string().max(TYPED_MAX).default(''),
    note: z.string().max(NOTE_MAX).default(''),
  }),
  refusals: [...common.refusals, 'store-not-found'],
  async answer({ body: { form, store, amount, note }, ...request }) {
    const { flow, actor } = request
    const storeId = await storeOf(flow, actor.actor, store)
    const values = { amount, note }
    try {
      const { currency } = await flow.ledger.settings.read(actor.accountId)
      const { requestId } = await askAtTill(request, form, { storeId, amount: amountOf(actor, amount, currency), note })
      return seeOther(saleAt(requestId))
    } catch (error) {
      return await show(request, storeId, { values, faults: faultsAt(request, error) })
    }
  },
})

export const keypadEndpoints = [look, charge]

type TillWish = { readonly storeId: number; readonly amount: bigint; readonly note: string }

/** Asks for the payment once, however often the form is sent. */
export const askAtTill = (
  { flow, actor }: Pick<MemberRequest, 'flow' | 'actor'>,
  form: string,
  { storeId, amount, note }: TillWish,
): Promise<{ readonly requestId: string }> => {
  const { accountId } = actor
  const body = { storeId, amount: String(amount), note }
  return askPayment(flow, onceOf(flow, { accountId, operation: 'till', key: form, body }), {
    accountId,
    storeId,
    amount,
    assetAmount: null,
    currency: undefined,
    asset: null,
    title: '',
    note,
    expiry: SALE_EXPIRY,
    redirect: '',
    externalReference: '',
    test: false,
    till: true,
  })
}

/** Millionths of what was typed. Refuses `invalid-request` for what is no price in the currency. */
const amountOf = (actor: MemberRequest['actor'], typed: string, currency: string): bigint => {
  const words = localeFor(actor).words.till
  const text = typed.trim().replace(',', '.')
  const [, places = ''] = /^\d{1,12}(?:\.(\d*))?$/.exec(text) ?? refuse('invalid-request', `amount: ${words.noAmount}`)
  const digits = minorDigits(currency) ?? FIAT_DECIMALS
  if (places.length > digits) refuse('invalid-request', `amount: ${words.places(digits)}`)
  const amount = FiatAmount.safeParse(Number(text))
  return amount.success ? fiatUnits(amount.data) : refuse('invalid-request', `amount: ${words.noAmount}`)
}

const faultsAt = ({ actor }: MemberRequest, error: unknown): FormFaults =>
  isRefusal(error, 'idempotency-conflict')
    ? { sale: localeFor(actor).words.till.sentBefore }
    : faultsOf(error, FIELDS, 'sale')

const show = async (
  request: MemberRequest,
  storeId: number,
  said: Pick<KeypadPage, 'values' | 'faults'>,
): Promise<Reply> => {
  const { flow, actor } = request
  const [{ currency }, stores] = await Promise.all([flow.ledger.settings.read(actor.accountId), storesOf(request)])
  return keypadPage({ ...said, member: actor, storeId, stores, currency, form: flow.world.id('tf') })
}

/** The stores that the member may sell for. */
const storesOf = async ({ flow: { ledger, vault }, actor }: MemberRequest): Promise<TillStores> => {
  const { stores } = await ledger.stores.recent(actor.accountId)
  const own = Object.entries(stores).filter(([id]) => inScope(actor.actor, Number(id)))
  return await Promise.all(
    own.map(async ([id, { label }]) => [Number(id), (await nameOf(vault, label)) || id] as const),
  )
}
