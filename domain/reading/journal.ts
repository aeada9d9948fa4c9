import { assetOf } from '../kernel/assets.ts'
import { minorDigits } from '../kernel/currencies.ts'
import { idOf } from '../kernel/decider.ts'
import { FIAT_DECIMALS, type Units } from '../kernel/money.ts'
import type { TransferData } from '../selling/challenge-terms.ts'
import type { EventData, EventType } from '../write-side/deciders.ts'
import { payingTypes, payoutsOf } from './game-payouts.ts'

/**
 * Every event that moves money, as postings that sum to zero per asset (I-SUM-01). Amounts are whole smallest units;
 * accounts are `seller:<id>:credit` (prepaid), `seller:<id>:owed` (bills not covered), `seller:<id>:wallet` (coins on
 * its own addresses), `seller:<id>:refunds` (recorded as given back and not yet sent), `seller:<id>:card` (at its card
 * processor), `seller:<id>:disputed` (kept back there), `user:<sub>:balance`, `user:<sub>:owed` (taken back and not
 * there), `app:<client id>:credit`, `in-transit` (sent and not yet received), `platform:fees`, `platform:sales` (seats,
 * lander packs), `platform:grants` (given), `platform:top-ups` (sold) and `buyers`. Of the game: `user:<sub>:units`,
 * `house`, and the stakes in `escrow:pvp:<duel>`, `escrow:tournament:<slug>` and `studio:<job>`.
 */

export type Posting = { readonly account: string; readonly asset: string; readonly amount: Units }

/** The asset code of US dollars in millionths. */
const USD = 'USD'
/** The asset code of game units, which are whole. */
const UNITS = 'UNITS'
const IN_TRANSIT = 'in-transit'

type PostingRules = { readonly [T in EventType]?: (data: EventData<T>, id: string) => readonly Posting[] }

const rules: PostingRules = {
  CreditGranted: ({ amount, reason }, id) => move(grantedBy[reason], `seller:${id}:credit`, USD, BigInt(amount)),
  CreditDebited: ({ amount, owed, reason }, id) => {
    const billed = reason === 'top-up-reversed' ? grantedBy['top-up'] : 'platform:fees'
    return [
      ...move(`seller:${id}:credit`, billed, USD, BigInt(amount)),
      ...move(`seller:${id}:owed`, billed, USD, BigInt(owed)),
    ]
  },
  OwedCreditCollected: ({ amount }, id) => move(`seller:${id}:credit`, `seller:${id}:owed`, USD, BigInt(amount)),
  SeatPaid: ({ amount }, id) => move(`seller:${id}:credit`, 'platform:sales', USD, BigInt(amount)),
  LanderPackBought: ({ amount }, id) => move(`seller:${id}:credit`, 'platform:sales', USD, BigInt(amount)),
  PointsRedeemed: ({ amount }, id) => move('platform:grants', `seller:${id}:credit`, USD, BigInt(amount)),
  ChallengeSettled: ({ accountId, transfer, test, inBooks }) =>
    test || inBooks ? [] : move('buyers', `seller:${accountId}:wallet`, postedAsset(transfer), BigInt(transfer.amount)),
  ChallengeUnderpaid: ({ accountId, transfer, test, inBooks }) =>
    test || inBooks ? [] : move('buyers', `seller:${accountId}:wallet`, postedAsset(transfer), BigInt(transfer.amount)),
  // Money that nobody asked for may still turn out to be a payment, and is posted then.
  TransferSetAside: ({ accountId, transfer, reason, inBooks }) =>
    reason === 'unmatched' || inBooks
      ? []
      : move('buyers', `seller:${accountId}:wallet`, postedAsset(transfer), BigInt(transfer.amount)),
  // A reversed payment is as if it had not come. Money that came for nobody was in the books only if it had been
  // posted.
  PaymentReversed: ({ accountId, transfer, test }) =>
    test ? [] : move(`seller:${accountId}:wallet`, 'buyers', postedAsset(transfer), BigInt(transfer.amount)),
  TransferReversed: (data) =>
    data.aside && data.inBooks
      ? [
          ...move(
            `seller:${data.accountId}:wallet`,
            'buyers',
            postedAsset(data.transfer),
            BigInt(data.transfer.amount),
          ),
          ...returnOwed(data, -BigInt(data.returned ?? '0')),
        ]
      : [],
  // Nobody sends back what did not come, so this money is in the books from then on.
  TransferReturnRecorded: (data) => [
    ...(data.inBooks
      ? []
      : move('buyers', `seller:${data.accountId}:wallet`, postedAsset(data.transfer), BigInt(data.transfer.amount))),
    ...returnOwed(data, BigInt(data.amount)),
  ],
  TransferReopened: (data) => returnOwed(data, -BigInt(data.returned ?? '0')),
  TransferReturnSent: (data) => [
    ...returnOwed(data, BigInt(data.back.amount) - BigInt(data.recorded)),
    ...move(
      `seller:${data.accountId}:wallet`,
      `seller:${data.accountId}:refunds`,
      postedAsset(data.transfer),
      BigInt(data.back.amount),
    ),
  ],
  TransferReturnUnsent: ({ accountId, transfer, back, voided }) =>
    move(
      voided ? 'buyers' : `seller:${accountId}:refunds`,
      `seller:${accountId}:wallet`,
      postedAsset(transfer),
      BigInt(back.amount),
    ),
  CardPaymentSettled: (data) => byCard(data, 'buyers', `seller:${data.accountId}:card`),
  CardPaymentSetAside: (data) => byCard(data, 'buyers', `seller:${data.accountId}:card`),
  CardRefunded: (data) => byCard(data, `seller:${data.accountId}:card`, 'buyers'),
  CardRefundFailed: (data) => byCard(data, 'buyers', `seller:${data.accountId}:card`),
  CardPaymentDisputed: (data) =>
    data.held ? byCard(data, `seller:${data.accountId}:card`, `seller:${data.accountId}:disputed`) : [],
  CardDisputeClosed: (data) => {
    const [card, disputed] = [`seller:${data.accountId}:card`, `seller:${data.accountId}:disputed`]
    if (data.outcome === 'won') return data.held ? byCard(data, disputed, card) : []
    return byCard(data, data.held ? disputed : card, 'buyers')
  },
  // What the seller says that it gave back is owed to buyers until a chain shows that it was sent.
  RefundRecorded: (data) => refundOwed(data),
  PartRefundRecorded: (data) => refundOwed(data),
  RefundSent: ({ accountId, transfer }) =>
    move(`seller:${accountId}:wallet`, `seller:${accountId}:refunds`, postedAsset(transfer), BigInt(transfer.amount)),
  RefundUnsent: ({ accountId, transfer }) =>
    move(`seller:${accountId}:refunds`, `seller:${accountId}:wallet`, postedAsset(transfer), BigInt(transfer.amount)),
  RefundVoided: ({ accountId, coin }) =>
    coin === undefined || coin.test
      ? []
      : move('buyers', `seller:${accountId}:refunds`, postedAsset(coin), BigInt(coin.amount)),
  BalanceSent: ({ total }, id) => move(`user:${id}:balance`, IN_TRANSIT, USD, BigInt(total)),
  BalanceReceived: ({ amount }, id) => move(IN_TRANSIT, `user:${id}:balance`, USD, BigInt(amount)),
  BalanceTakenBack: ({ amount, owed }, id) => [
    ...move(`user:${id}:balance`, grantedBy['top-up'], USD, BigInt(amount)),
    ...move(`user:${id}:owed`, grantedBy['top-up'], USD, BigInt(owed)),
  ],
  OwedBalanceCollected: ({ amount }, id) => move(`user:${id}:balance`, `user:${id}:owed`, USD, BigInt(amount)),
  AppCreditSent: ({ total }, id) => move(`app:${id}:credit`, IN_TRANSIT, USD, BigInt(total)),
  AppCreditReceived: ({ amount }, id) => move(IN_TRANSIT, `app:${id}:credit`, USD, BigInt(amount)),
  CreditGrantSent: ({ total }) => move('platform:grants', IN_TRANSIT, USD, BigInt(total)),
  TopUpSettled: ({ total }) => move('platform:top-ups', IN_TRANSIT, USD, BigInt(total)),
  GameUnitsStaked: ({ units, to }, id) => move(`user:${id}:units`, to, UNITS, BigInt(units)),
  GameUnitsReceived: ({ units }, id) => move(IN_TRANSIT, `user:${id}:units`, UNITS, BigInt(units)),
  StudioJobDone: ({ priceUnits }, id) => move(`studio:${id}`, 'house', UNITS, BigInt(priceUnits)),
  QuestRewardClaimed: ({ units }, id) => move('house', `user:${id}:units`, UNITS, BigInt(units)),
}

/** The types of events that move money. */
export const postedTypes = [...new Set([...Object.keys(rules), ...payingTypes])] as readonly EventType[]

/** The postings of an event; most events have none. */
export const postingsOf = (event: { type: string; data: object; stream: string }): readonly Posting[] => {
  const id = idOf(event.stream)
  const paidOut = payoutsOf(event.type, event.data, id).flatMap(({ from, units }) =>
    move(from, IN_TRANSIT, UNITS, BigInt(units)),
  )
  if (!Object.hasOwn(rules, event.type)) return paidOut
  const rule = rules[event.type as EventType] as (data: object, id: string) => readonly Posting[]
  return [...rule(event.data, id), ...paidOut]
}

/**
 * Digits after the point of a posting's asset; a currency has those of a millionth. A token that is in no catalogue is
 * counted in its smallest unit: sellers say how many digits it has, and may disagree.
 */
export const decimalsOf = (asset: string): number =>
  isCurrency(asset) ? FIAT_DECIMALS : (assetOf(asset)?.decimals ?? 0)

/** A currency goes by its three capitals (ISO 4217), a coin by a lower-case code that is no currency in capitals. */
export const isCurrency = (asset: string): boolean => minorDigits(asset) !== undefined

/**
 * The asset that a transfer is posted as. Each seller gives a token a code of their own, so a token is posted by its
 * network and contract.
 */
export const postedAsset = ({ network, asset }: Pick<TransferData, 'network' | 'asset'>): string =>
  assetOf(asset) ? asset : `${network}:${asset}`

/**
 * The accounts of one seller (`acc_…`), user (`usr_…`) or app (`app_…`), by the id of their owner; nobody else has any.
 */
export const accountsOf = (owner: string): readonly string[] => {
  const [kind = ''] = owner.split('_', 1)
  const { holder, purses } = owners[kind] ?? { holder: '', purses: [] }
  return purses.map((purse) => `${holder}:${owner}:${purse}`)
}

const owners: Readonly<Record<string, { readonly holder: string; readonly purses: readonly string[] }>> = {
  acc: { holder: 'seller', purses: ['credit', 'owed', 'wallet', 'refunds', 'card', 'disputed'] },
  usr: { holder: 'user', purses: ['balance', 'owed', 'units'] },
  app: { holder: 'app', purses: ['credit'] },
}

/** The account that prepaid credit comes from; what was paid for a seat and not needed goes back the way it came. */
const grantedBy: Readonly<Record<EventData<'CreditGranted'>['reason'], string>> = {
  'email-verified': 'platform:grants',
  'top-up': 'platform:top-ups',
  'seat-unused': 'platform:sales',
  'fee-returned': 'platform:fees',
  'gas-returned': 'platform:fees',
}

type CardAmount = { readonly amount: Units; readonly currency: string; readonly test: boolean }

/** The postings of a recorded refund in a coin; a card's are those of its payment. A test moves nothing. */
const refundOwed = ({ accountId, coin }: EventData<'RefundRecorded' | 'PartRefundRecorded'>): readonly Posting[] =>
  coin === undefined || coin.test
    ? []
    : move(`seller:${accountId}:refunds`, 'buyers', postedAsset(coin), BigInt(coin.amount))

/** What is owed to who had sent money that settles nothing; below zero it is owed no longer. */
const returnOwed = (
  { accountId, transfer }: { readonly accountId: string; readonly transfer: TransferData },
  amount: bigint,
): readonly Posting[] => move(`seller:${accountId}:refunds`, 'buyers', postedAsset(transfer), amount)

/** The postings of a payment by card, in its own currency. A test moves nothing. */
const byCard = ({ amount, currency, test }: CardAmount, from: string, to: string): readonly Posting[] =>
  test ? [] : move(from, to, currency, BigInt(amount))

const move = (from: string, to: string, asset: string, amount: bigint): readonly Posting[] =>
  amount === 0n
    ? []
    : [
        { account: from, asset, amount: String(-amount) },
        { account: to, asset, amount: String(amount) },
      ]
