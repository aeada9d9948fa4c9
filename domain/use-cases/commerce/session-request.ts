import { orderIdOf } from '../../commerce/ids.ts'
import type { Session } from '../../commerce/session-state.ts'
import { millionthsOf } from '../../kernel/currencies.ts'
import { inStore } from '../../kernel/in-store.ts'
import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import type { Goods } from '../../selling/payment-request.ts'
import { fieldLines } from '../../storefront/custom-fields.ts'
import type { UseCaseContext } from '../context.ts'
import { type Once, onceOf } from '../once.ts'
import { openRequest } from '../selling/challenges/open-request.ts'
import { goodsTogether } from '../selling/stock/goods.ts'
import { openedPerson } from './person.ts'
import type { NamedSession } from './sessions.ts'

/** The payment request of a cart. */

/** The products in a cart, each once. */
export const goodsIn = ({ lines }: Pick<Session, 'lines'>): readonly Goods[] =>
  goodsTogether(lines.map(({ itemId, checkoutId, quantity }) => ({ productId: checkoutId ?? itemId, quantity })))

/** Makes the ids of a session's payment request, which stay the same for ever. */
export const requestOnce = (flow: UseCaseContext, accountId: string, sessionId: string): Once =>
  onceOf(flow, { accountId, operation: 'checkout-session', key: sessionId, body: {} })

/** Asks for the payment of a cart whose terms are fixed: one request, however often it is asked for. */
export const askFor = async (flow: UseCaseContext, once: Once, { sessionId, session }: NamedSession) => {
  const { accountId, storeId, currency, digits, total, assets, test, expiresAt, tax, codes } = session
  const words = wordsOf(session)
  const { fields = [] } = await openedPerson(flow.vault, session.person)
  return openRequest(flow, once, {
    accountId,
    ...inStore(storeId),
    amount: String(millionthsOf(BigInt(total), digits)),
    ...(tax && total !== '0' && { vat: vatOf(session.taxAmount, total, digits) }),
    assetAmount: null,
    currency,
    asset: null,
    ...(assets && { assets }),
    checkoutSession: sessionId,
    ...words,
    redirect: '',
    externalReference: orderIdOf(sessionId),
    expiry: '24h',
    until: expiresAt,
    webhookUrl: null,
    test,
    record: {
      ...(fields.length > 0 && {
        sealedDescription: await flow.vault.seal(accountId, `${words.note}\n${fieldLines(fields)}`),
      }),
      ...(tax && { vat: fiat(session.taxAmount, digits), vatDetails: tax.details }),
      ...(tax?.sealedDetails && { sealedVatDetails: tax.sealedDetails }),
      ...(codes.length > 0 && { discountCode: codes.map(({ code }) => code).join(', ') }),
    },
  })
}

const vatOf = (tax: string, total: string, digits: number) => ({
  amount: String(millionthsOf(BigInt(tax), digits)),
  of: String(millionthsOf(BigInt(total), digits)),
})

const fiat = (minor: string, digits: number): string => toDecimal(millionthsOf(BigInt(minor), digits), FIAT_DECIMALS)

/** The most characters of the note by which a transaction lists the lines of the cart. */
const NOTE_MAX = 2_000

/** What a request says of the products that it pays for. */
export const wordsOf = ({ lines }: Pick<Session, 'lines'>) => {
  const [first, ...others] = lines
  return {
    goods: goodsIn({ lines }),
    ...(others.length === 0 && first?.checkoutId !== undefined && { checkoutId: first.checkoutId }),
    title: `${first?.title ?? ''}${others.length > 0 ? ` and ${others.length} more` : ''}`,
    note: lines
      .map(({ quantity, title }) => `${quantity} × ${title}`)
      .join('\n')
      .slice(0, NOTE_MAX),
  }
}
