import { claimedPlace, isHeldBy } from '../../account/address-claim.ts'
import { seatOf } from '../../account/team-members.ts'
import { codesAt } from '../../account/wallet.ts'
import { idOf } from '../../kernel/decider.ts'
import { ACTIVATION_CREDIT_USD } from '../../kernel/fees.ts'
import { carryOutSeatOrder } from '../../use-cases/account/seat-orders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/**
 * Opens the store that comes with an account, for accounts whose sign-up broke off before it, and for those from before
 * there were stores.
 */
export const openDefaultStore: Policy = policy({
  name: 'open-default-store',
  // Each account has stores of its own, and opens them once.
  keys: ({ stream }) => [stream],
  on: {
    CloudTokenIssued: ({ stream, data }, { ledger }) => ledger.stores.openDefault(idOf(stream), data),
  },
})

/** A verified email earns $5 of credit, once per account (I-CRD-01). */
export const grantActivationCredit: Policy = policy({
  name: 'grant-activation-credit',
  // The account's credit tells by the event's place what it was granted.
  keys: ({ stream }) => [idOf(stream)],
  on: {
    AccountActivated: ({ stream, order }, { ledger }) =>
      ledger.creditAccount.grant(idOf(stream), {
        amount: String(ACTIVATION_CREDIT_USD),
        reason: 'email-verified',
        ref: idOf(stream),
        source: 'grant-activation-credit',
        position: String(order),
      }),
  },
})

/**
 * Releases the address that an account, or a user, had before, so that anybody can use it again, also the account
 * itself (J-ACC-13).
 */
export const releaseEmail: Policy = policy({
  name: 'release-email',
  // What is released hangs on the newest state of the holder, and is the address.
  keys: ({ stream, data: { former } }) => [stream, former],
  on: {
    UserEmailChanged: async ({ stream, data: { former } }, { ledger }) => {
      const sub = idOf(stream)
      const user = await ledger.user.read(sub)
      if (user.status === 'none' || user.emailFingerprint === former) return
      await ledger.email.release(former, { accountId: sub })
    },
    EmailChanged: async ({ stream, data: { former } }, { ledger }) => {
      const accountId = idOf(stream)
      const account = await ledger.account.read(accountId)
      // The account may have gone back to that address since.
      if (account.status === 'none' || account.emailFingerprint === former) return
      await ledger.email.release(former, { accountId })
    },
  },
})

/** When an address becomes another account's, pauses the wallets that its former holders have with it. */
export const pauseLostWallets: Policy = policy({
  name: 'pause-lost-wallets',
  // Who holds an address is read anew, and only that address is lost; a wallet has many.
  keys: ({ stream }) => [stream],
  on: {
    AddressClaimed: async ({ stream, data: { from } }, { ledger }) => {
      const id = idOf(stream)
      for (const accountId of from) {
        // The address may have come back to the account since.
        if (isHeldBy(await ledger.addressClaim.read(id), accountId)) continue
        const place = claimedPlace(id)
        for (const asset of codesAt(await ledger.wallet.read(accountId), place))
          await ledger.wallet.lose(accountId, { asset, address: place.address })
      }
    },
  },
})

/** Carries out what a seat was paid for, also when the call that paid broke off right then. */
export const finishSeatOrders: Policy = policy({
  name: 'finish-seat-orders',
  // Seats are taken in the order in which the account has paid them.
  keys: ({ stream }) => [stream],
  on: {
    SeatPaid: ({ stream, data }, { ledger }) => carryOutSeatOrder(ledger, idOf(stream), data),
  },
})

/** Notes with a person which accounts they have a seat in, also when the call broke off that gave or took it. */
export const noteSeats: Policy = policy({
  name: 'note-seats',
  // A person has one list of accounts. Whether the seat is taken is read anew.
  keys: ({ data: { memberId } }) => [memberId],
  on: {
    MemberSeated: ({ stream, data: { memberId } }, { ledger }) => noteSeat(ledger, idOf(stream), memberId),
    MemberRemoved: ({ stream, data: { memberId } }, { ledger }) => noteSeat(ledger, idOf(stream), memberId),
  },
})

/** The seat may have been taken or given again since. */
const noteSeat = async (ledger: Ledger, accountId: string, memberId: string): Promise<void> => {
  const isSeated = seatOf(await ledger.team.read(accountId), memberId) !== undefined
  if (isSeated) await ledger.member.join(memberId, { accountId, role: 'invited' })
  else await ledger.member.leave(memberId, { accountId })
}

/**
 * Gives back as credit what was paid for a seat and is not needed after all, so that money is taken only for what there
 * is (I-CRD-04).
 */
export const returnSeatPayments: Policy = policy({
  name: 'return-seat-payments',
  // The account's credit tells by the event's place what was given back.
  keys: ({ stream }) => [idOf(stream)],
  on: {
    SeatPaymentUnused: ({ stream, order, data: { paid, unused } }, { ledger }) =>
      ledger.creditAccount.grant(idOf(stream), {
        amount: unused,
        reason: 'seat-unused',
        ref: `seat-${paid.number}`,
        source: 'return-seat-payments',
        position: String(order),
      }),
  },
})
