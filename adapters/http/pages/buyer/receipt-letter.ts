import type { Letter } from '../../../../domain/kernel/mail.ts'
import type { BuyerLocale } from './messages/buyer-locale.ts'
import type { Receipt } from './receipt.ts'

/** The letter, in the language of the page that it was asked for on. `link` leads to that page. */
export const receiptLetter = (to: string, receipt: Receipt, link: string, locale: BuyerLocale): Letter => {
  const { mail, facts, receipt: words } = locale.words
  const { seller, price, title, note, reference, payment, card, refund } = receipt
  const coins = payment?.units === undefined ? '' : locale.amount(payment.units, payment.coin.decimals)
  const at = payment?.at ?? card?.at
  const lines: readonly (readonly [name: string, value: string | undefined])[] = [
    [words.seller, seller],
    [facts.for, title],
    [words.details, note],
    ...(receipt.chosen ?? []).map(({ label, value }) => [label, value] as const),
    [facts.price, price],
    [words.received, payment && coins && words.on(`${coins} ${payment.coin.symbol}`, payment.coin.network).join('')],
    [words.rate, payment?.rate && words.rateOf(payment.coin.symbol, locale.decimal(payment.rate))],
    [words.how, card && words.byCard],
    [words.when, at && locale.moment(at)],
    [facts.charge, card?.charge],
    [facts.hash, payment?.hash.hash],
    [facts.reference, reference],
    [words.refund, refund],
  ]
  const told = lines.flatMap(([name, value]) => (value ? [`${name}: ${oneLine(value)}`] : []))
  const text = [mail.intro(oneLine(seller)), '', ...told, '', mail.link, link, '', mail.asked]
  return { to, subject: mail.subject(oneLine(seller)), text: text.join('\n') }
}

/** What a seller wrote cannot begin a line of its own, as if we had said it. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
