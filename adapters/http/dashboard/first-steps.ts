import { z } from 'zod'
import { fiatNumber } from '../agent/common/amounts.ts'
import { NewResource } from '../agent/common/resource-shape.ts'
import { changeWebhook } from '../agent/common/webhooks.ts'
import { makeResource } from '../agent/selling/own-resources.ts'
import { chooseReceiver, Receiver } from '../agent/selling/webhook-receiver.ts'
import { factorsOf } from '../auth/people/factors/factors.ts'
import { holderOf } from '../auth/people/factors/holder.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { validInput } from '../core/valid.ts'
import { firstStepsPage, type StepValues, secretPage } from '../pages/dashboard/first-steps/first-steps.ts'
import { seeOther } from '../pages/people-page.ts'
import { type FormFaults, faultsOf } from './form-faults.ts'
import { unconfirmedAddress } from './home.ts'
import { csrf, type MemberRequest, ofMembers } from './of-dashboard.ts'
import { openTestSale, TEST_TERMS } from './test-sale.ts'
import { AssetCode } from './wallets.ts'

/** From nothing to a first sale: a list that ticks itself by what the account has. */

const FIRST_STEPS = '/dashboard/first-steps'
const common = { ...ofMembers, path: FIRST_STEPS } as const
const PRICE_FIELDS = ['title', 'amount', 'currency'] as const
const typed = z.string().max(300).default('')

const look = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'settings.view' },
  summary: 'The first steps of a seller, each ticked once it is done',
  answer: (request) => show(request, {}),
})

const price = endpoint({
  ...common,
  method: 'post',
  when: { act: 'price' },
  callers: { capability: 'resources.edit' },
  summary: 'Prices the first thing that is sold',
  body: z.object({ csrf, title: typed, amount: typed, currency: typed }),
  async answer({ body: { csrf: _, ...values }, once, ...request }) {
    const { flow, actor } = request
    try {
      const amount = numberIn(values.amount)
      const body = validInput(NewResource, { ...values, currency: values.currency.toUpperCase(), amount })
      await makeResource({ body, actor: actor.actor, flow, once })
    } catch (error) {
      return await show(request, { values, faults: faultsOf(error, PRICE_FIELDS, 'amount') })
    }
    return seeOther(FIRST_STEPS)
  },
})

const testSale = endpoint({
  ...common,
  method: 'post',
  when: { act: 'test-sale' },
  callers: { capability: 'resources.edit' },
  summary: 'Opens a test sale, at the price of what is sold already and in a coin that may be named; leads to its page',
  body: z.object({ csrf, asset: AssetCode.optional() }),
  async answer({ body: { asset }, flow, actor, queries, once }) {
    const [sold] = await queries.resources(actor.accountId, { test: false }, 1)
    const terms = sold ? { amount: fiatNumber(sold.amount), currency: sold.currency, title: sold.title } : TEST_TERMS
    return await openTestSale({ flow, actor, once }, { ...terms, asset })
  },
})

const webhook = endpoint({
  ...common,
  method: 'post',
  when: { act: 'webhook' },
  callers: { capability: 'settings.edit', fresh: true },
  summary: 'Sets the webhook that is told of payments; a first secret is shown once',
  body: z.object({ csrf, url: typed }),
  async answer({ body: { url }, ...request }) {
    const { flow, actor } = request
    try {
      const secret = await changeWebhook(flow, actor.accountId, { url })
      return secret === undefined ? seeOther(FIRST_STEPS) : secretPage(actor, secret)
    } catch (error) {
      return await show(request, { values: { url }, faults: faultsOf(error, ['url'], 'url') })
    }
  },
})

const receiver = endpoint({
  ...common,
  method: 'post',
  when: { act: 'webhook-receiver' },
  callers: { capability: 'settings.edit' },
  summary: 'Chooses what is told instead of a webhook URL: the built-in receiver, of test sales alone, or nobody',
  body: z.object({ csrf, receiver: Receiver }),
  async answer({ body, flow, actor }) {
    await chooseReceiver(flow, actor.accountId, body.receiver)
    return seeOther(FIRST_STEPS)
  },
})

export const firstStepsEndpoints = [look, price, testSale, webhook, receiver]

/** A number that was typed; the text itself where it is none, so that it is refused in the words of the API. */
export const numberIn = (text: string): number | string =>
  /^\d{1,15}([.,]\d{1,15})?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : text

const show = async (
  request: MemberRequest,
  said: { readonly values?: StepValues; readonly faults?: FormFaults },
): Promise<Reply> => {
  const { flow, queries, actor } = request
  const { accountId } = actor
  const [account, wallets, [sold], { urls, receiver }, { enrolled }, unconfirmed, settings] = await Promise.all([
    queries.account(accountId),
    queries.wallets(accountId),
    queries.resources(accountId, { test: false }, 1),
    flow.ledger.webhook.read(accountId),
    factorsOf(holderOf(request)),
    unconfirmedAddress(flow, accountId),
    flow.ledger.settings.read(accountId),
  ])
  const hasUrl = Object.values(urls).some(Boolean)
  return firstStepsPage({
    values: { currency: settings.currency },
    ...said,
    member: actor,
    done: {
      email: unconfirmed === undefined,
      wallet: wallets.some(({ active }) => active),
      price: sold !== undefined,
      test: (account?.testCount ?? 0) > 0,
      webhook: hasUrl || receiver !== undefined,
      factor: enrolled,
      live: (account?.settlementsCount ?? 0) > 0,
    },
    unconfirmed,
    webhook: { hasUrl, receiver },
    sellsAt: sold && `${flow.origins.base}/r/${sold.resId}`,
  })
}
