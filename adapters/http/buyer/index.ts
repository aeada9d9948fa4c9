import { z } from 'zod'
import { CHALLENGE_MINUTES, type ChallengeOffer } from '../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { createOpenSets } from '../agent/common/open-sets.ts'
import { NamedId } from '../core/bounds/named-id.ts'
import { type Endpoint, endpoint } from '../core/endpoint.ts'
import { MAILED } from '../pages/buyer/receipt-mail.ts'
import { BrowserHeaders, browserOf, knownBrowser, withCookies } from './browser.ts'
import { buyEndpoints } from './buy.ts'
import { cardPageEndpoints } from './card.ts'
import { choicePage } from './choice.ts'
import { type Door, doors } from './doors.ts'
import { eventEndpoints } from './events.ts'
import { landerPageEndpoints } from './lander.ts'
import { receiptMailEndpoints } from './mail-receipt.ts'
import { offerEndpoints } from './offers.ts'
import { type OpenSets, openChosen } from './open-chosen.ts'
import { noneLeft, pathOf, seeOther } from './paths.ts'
import { payoutPageEndpoints } from './payout.ts'
import { postHash, SAID } from './post-hash.ts'
import { sessionPageEndpoints } from './session.ts'
import { shopOf } from './shop.ts'
import { storeEndpoints } from './store.ts'

/**
 * What people see at the three doors: look, choose a coin, pay, watch it arrive (J-DOOR-03, J-DOOR-08, J-PRQ-02). Every
 * step is a link or a form, so that it works without script. Only a chosen coin opens a challenge, and from then on its
 * id is in the address: whoever loads the page again, goes back to it or comes to it late sees that same payment.
 * @param orderPages those of orders, where they are not left to what agents call at the same addresses
 */
export const buyerEndpoints = (orderPages: readonly Endpoint[]) => {
  const openSets = createOpenSets<ChallengeOffer>((CHALLENGE_MINUTES * 60_000) / 2)
  return [
    ...doors.flatMap((door) => pagesOf(door, openSets)),
    ...receiptMailEndpoints,
    ...cardPageEndpoints,
    ...buyEndpoints,
    ...offerEndpoints,
    ...landerPageEndpoints,
    ...storeEndpoints,
    ...sessionPageEndpoints,
    ...orderPages,
    ...payoutPageEndpoints,
    ...eventEndpoints(),
  ]
}

const pagesOf = (door: Door, openSets: OpenSets) => [look(door), choose(door, openSets), watch(door), post(door)]

const common = {
  auth: 'none',
  page: true,
  ignores: 'query',
  params: z.object({ id: z.string().max(64) }),
  returns: z.string(),
  produces: 'text/html',
  refusals: ['resource-not-found', 'request-not-found', 'busy', 'unavailable'],
} as const

const look = (door: Door) =>
  endpoint({
    ...common,
    path: door.path,
    method: 'get',
    summary: 'The payment page for a person: which coins it can be paid in',
    waits: 'before',
    headers: BrowserHeaders,
    query: z.object({ amount: z.string().max(20).optional() }),
    async answer({ params, query, headers, languages, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const shop = await shopOf(flow, queries, { path: pathOf(door, params.id), sold, languages })
      const { name, cookies } = browserOf(flow, headers)
      return withCookies(await choicePage(shop, query.amount, name), cookies)
    },
  })

const choose = (door: Door, openSets: OpenSets) =>
  endpoint({
    ...common,
    path: door.path,
    method: 'get',
    when: { asset: true },
    summary: 'A coin is chosen: opens a challenge, or meets the one that is open, and leads to its page',
    acts: true,
    waits: 'before',
    headers: BrowserHeaders,
    query: z.object({
      asset: z.string().max(32),
      amount: z.string().max(20).optional(),
      visit: z.string().max(40).default(''),
    }),
    otherwise: { 303: { description: 'The page of the challenge' } },
    refusals: [...common.refusals, 'rate-limited', 'no-free-amount'],
    async answer({ params, query, headers, ip, caller, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const visit = knownBrowser(flow, headers) ?? query.visit
      // The last piece may have gone since the page was loaded: the page says so.
      const challenge = await openChosen(openSets, { flow, sold, ip, caller, ...query, visit }).catch(noneLeft)
      return seeOther(pathOf(door, params.id), challenge === undefined ? {} : { challenge })
    },
  })

const watch = (door: Door) =>
  endpoint({
    ...common,
    path: door.path,
    method: 'get',
    when: { challenge: true },
    summary: 'The page of one challenge: what to pay and where, and what became of it',
    waits: 'before',
    query: z.object({
      challenge: NamedId,
      said: z.enum(SAID).optional().catch(undefined),
      hash: z.string().max(200).default(''),
      mailed: z.enum(MAILED).optional().catch(undefined),
    }),
    refusals: ['challenge-not-found', ...common.refusals],
    async answer({ params, query: { challenge, said, hash, mailed }, languages, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const shop = await shopOf(flow, queries, { path: pathOf(door, params.id), sold, languages })
      return shop.watched(challenge, { posted: said && { said, hash }, mailed })
    },
  })

const post = (door: Door) =>
  endpoint({
    ...common,
    path: door.path,
    method: 'post',
    limits: { keyless: true, pays: true },
    summary: 'A person posts the hash of a payment; leads back to the page of its challenge',
    body: z.object({ challenge: NamedId, hash: z.string().max(200) }),
    otherwise: { 303: { description: 'The page of the challenge' } },
    refusals: ['challenge-not-found', ...common.refusals],
    async answer({ params, body: { challenge, hash }, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const said = await postHash(flow, sold, challenge, hash.trim())
      return seeOther(pathOf(door, params.id), { challenge, ...(said && { said, hash: hash.trim() }) })
    },
  })
