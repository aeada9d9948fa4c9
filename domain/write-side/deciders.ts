import { account } from '../account/account.ts'
import { addressClaim } from '../account/address-claim.ts'
import { creditAccount } from '../account/credit-account.ts'
import { customTokens } from '../account/custom-tokens.ts'
import { email } from '../account/email.ts'
import { integrations } from '../account/integrations.ts'
import { letter } from '../account/letter.ts'
import { member } from '../account/members/member.ts'
import { news } from '../account/news.ts'
import { sandboxKeys } from '../account/sandbox-keys.ts'
import { settings } from '../account/settings.ts'
import { stores } from '../account/stores.ts'
import { team } from '../account/team.ts'
import { wallet } from '../account/wallet.ts'
import { webhook } from '../account/webhook.ts'
import { cosignatures } from '../audit/cosignatures.ts'
import { log } from '../audit/log.ts'
import { quarantine } from '../audit/quarantine.ts'
import { seals } from '../audit/seals.ts'
import { appCredit } from '../balance/app-credit.ts'
import { creditGrant } from '../balance/credit-grant.ts'
import { intent } from '../balance/intent.ts'
import { ledgerEntry } from '../balance/ledger-entry.ts'
import { mandate } from '../balance/mandate.ts'
import { topUp } from '../balance/top-up.ts'
import { userBalance } from '../balance/user-balance.ts'
import { cardPayment } from '../card/payment.ts'
import { cardProcessor } from '../card/processor.ts'
import { chainWatch } from '../chains/chain-watch.ts'
import { merchantKeys } from '../commerce/merchant-keys.ts'
import { checkoutSession } from '../commerce/session.ts'
import { gameCharacter } from '../game/characters/character.ts'
import { gameHolder } from '../game/characters/holder.ts'
import { gameDuel } from '../game/contests/duel.ts'
import { gameTournament } from '../game/contests/tournament.ts'
import { gameMember } from '../game/members/member.ts'
import { gameStudioJob } from '../game/studio/job.ts'
import { authorization } from '../gasless/authorization.ts'
import { caller } from '../gasless/caller.ts'
import { payer } from '../gasless/payer.ts'
import { paymentName } from '../gasless/payment-name.ts'
import { relay } from '../gasless/relay.ts'
import { relayBudget } from '../gasless/relay-budget.ts'
import { type AnyDecider, categoryOf, type EventsOf } from '../kernel/decider.ts'
import { challenge } from '../selling/challenge.ts'
import { checkout } from '../selling/checkout.ts'
import { paymentRequest } from '../selling/payment-request.ts'
import { payout } from '../selling/payout.ts'
import { receiptLetter } from '../selling/receipt-letter.ts'
import { receiveAddress } from '../selling/receive-address.ts'
import { resource } from '../selling/resource.ts'
import { refundTransfer } from '../selling/transactions/refund-transfer.ts'
import { transaction } from '../selling/transactions/transaction.ts'
import { transfer } from '../selling/transfers/transfer.ts'
import { delivery } from '../selling/webhooks/delivery.ts'
import { clientApp } from '../signin/client-app.ts'
import { consent } from '../signin/consent.ts'
import { notification } from '../signin/notification.ts'
import { signingKeys } from '../signin/signing-keys.ts'
import { user } from '../signin/user.ts'
import { customFields } from '../storefront/custom-fields.ts'
import { discounts } from '../storefront/discounts.ts'
import { landers } from '../storefront/landers.ts'
import { offer } from '../storefront/offer.ts'
import { site } from '../storefront/site.ts'
import { stock } from '../storefront/stock.ts'

/** The whole write side on one page. A new aggregate is one file and one line here. */
export const deciders = {
  account,
  email,
  letter,
  news,
  sandboxKeys,
  team,
  member,
  stores,
  wallet,
  addressClaim,
  webhook,
  customTokens,
  settings,
  site,
  integrations,
  merchantKeys,
  creditAccount,
  resource,
  receiveAddress,
  challenge,
  transfer,
  refundTransfer,
  transaction,
  paymentRequest,
  payout,
  cardProcessor,
  cardPayment,
  checkout,
  checkoutSession,
  discounts,
  customFields,
  landers,
  offer,
  stock,
  delivery,
  receiptLetter,
  authorization,
  paymentName,
  payer,
  caller,
  relay,
  relayBudget,
  user,
  clientApp,
  consent,
  signingKeys,
  notification,
  userBalance,
  appCredit,
  ledgerEntry,
  creditGrant,
  intent,
  mandate,
  topUp,
  chainWatch,
  gameMember,
  gameHolder,
  gameCharacter,
  gameDuel,
  gameTournament,
  gameStudioJob,
  log,
  quarantine,
  seals,
  cosignatures,
}

export type Deciders = typeof deciders

const byCategory: ReadonlyMap<string, AnyDecider> = new Map(
  Object.values(deciders).map((decider) => [decider.category, decider]),
)

/** The decider of a stream; undefined for a stream of another program. */
export const deciderOf = (stream: string): AnyDecider | undefined => byCategory.get(categoryOf(stream))

export type LedgerEvent = { [K in keyof Deciders]: EventsOf<Deciders[K]> }[keyof Deciders]
export type EventType = LedgerEvent['type']
export type EventData<T extends EventType> = Extract<LedgerEvent, { type: T }>['data']
