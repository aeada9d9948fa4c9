import { z } from 'zod'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import { Email } from '../agent/account/account.ts'
import { NamedId } from '../core/bounds/named-id.ts'
import { endpoint } from '../core/endpoint.ts'
import { limit } from '../core/limits.ts'
import { receiptLetter } from '../pages/buyer/receipt-letter.ts'
import type { MAILED } from '../pages/buyer/receipt-mail.ts'
import { type Door, doors } from './doors.ts'
import { pathOf, seeOther } from './paths.ts'
import { shopOf } from './shop.ts'

/**
 * A buyer has the receipt sent by mail (N-87). The answer is the same whether or not anybody reads mail at the address,
 * and however many letters it was sent today.
 */

type Mailed = (typeof MAILED)[number]

const mail = (door: Door) =>
  endpoint({
    auth: 'none',
    page: true,
    ignores: 'query',
    path: door.path,
    method: 'post',
    when: { act: 'mail-receipt' },
    summary: 'Sends the receipt of a payment to an address; leads back to its page',
    limits: { keyless: true },
    params: z.object({ id: z.string().max(64) }),
    body: z.object({ act: z.literal('mail-receipt'), challenge: NamedId, email: z.string().max(300) }),
    returns: z.string(),
    produces: 'text/html',
    otherwise: { 303: { description: 'The page of the receipt' } },
    refusals: ['challenge-not-found', 'resource-not-found', 'request-not-found', 'busy', 'unavailable'],
    async answer({ params, body: { challenge, email }, ip, languages, flow, queries, signIn }) {
      const path = pathOf(door, params.id)
      const back = (mailed: Mailed) => seeOther(path, { challenge, mailed })
      const sold = await door.find(params.id, flow, queries)
      const shop = await shopOf(flow, queries, { path, sold, languages })
      const receipt = await shop.receipt(challenge)
      const address = Email.safeParse(email.trim())
      if (!address.success) return back('wrong')
      const mayCount = (what: 'receipt' | 'receipt-network' | 'receipt-address', key: string) =>
        limit({ flow, signIn }, what, key).then(
          () => true,
          (error: unknown) => {
            if (!isRefusal(error, 'rate-limited')) throw error
            return false
          },
        )
      if (!(await mayCount('receipt-network', ip)) || !(await mayCount('receipt', challenge))) return back('later')
      // Nobody learns how many letters somebody else was sent.
      if (!(await mayCount('receipt-address', address.data.toLowerCase()))) return back('sent')
      const origin = path.startsWith('/id/') ? flow.origins.pay : flow.origins.base
      const link = `${origin}${path}?${new URLSearchParams({ challenge })}`
      const letter = JSON.stringify(receiptLetter(address.data, receipt, link, shop.locale))
      await flow.ledger.receiptLetter.request(flow.world.secret(LETTER_ID_BYTES), {
        accountId: sold.accountId,
        challengeId: challenge,
        letter: await flow.vault.seal(sold.accountId, letter),
      })
      return back('sent')
    },
  })

const LETTER_ID_BYTES = 16

export const receiptMailEndpoints = doors.map(mail)
