import { idOf } from '../../kernel/decider.ts'
import type { Letter } from '../../kernel/mail.ts'
import { FIAT_DECIMALS, toDecimal, type Units } from '../../kernel/money.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/** Mails every debit of a standing order to the user whose money it was, with the way to end it (A-MAN-08). */
export const sendDebitLetter: Effect = {
  name: 'send-debit-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    BalanceSent: async ({ id, stream, data, at }, context) => {
      if (data.kind !== 'standing-order') return
      const sub = idOf(stream)
      await mailOnce(context, id, sub, () => letter(context, sub, data, at))
    },
  },
}

const letter = async (
  { ledger, vault, origins }: EffectContext,
  sub: string,
  { clientId, total, order, description, ledgerRef }: EventData<'BalanceSent'>,
  at: string,
): Promise<Letter | undefined> => {
  const [user, app] = await Promise.all([ledger.user.read(sub), ledger.clientApp.read(clientId ?? '')])
  const to = user.status === 'none' ? undefined : await vault.open(user.email)
  if (to === undefined) return undefined
  const what = description === null ? undefined : await vault.open(description)
  const name = app.status === 'none' ? 'An app' : app.name
  const text = [
    `${name} has taken ${dollars(total)} from your balance by your standing order, on ${date(at)}.`,
    ...(what ? [`It says: ${what}`] : []),
    ...(order ? [`The standing order may take ${dollars(order.remainingCap)} more.`] : []),
    ...(order?.nextDebitAt ? [`The next debit is due on ${date(order.nextDebitAt)}.`] : []),
    `Reference: ${ledgerRef}`,
    '',
    'You can end the standing order at any time:',
    '',
    `${origins.auth}/account/standing-orders`,
  ]
  return { to, subject: `${name} has taken ${dollars(total)}`, text: text.join('\n') }
}

const date = (at: string): string => at.slice(0, 10)

/** With two places at least. */
const dollars = (units: Units): string => {
  const [whole, cents = ''] = toDecimal(BigInt(units), FIAT_DECIMALS).split('.')
  return `${whole}.${cents.padEnd(2, '0')} USD`
}
