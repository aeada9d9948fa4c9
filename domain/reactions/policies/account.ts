import { claimedPlace, isHeldBy } from '../../account/address-claim.ts'
import { seatOf } from '../../account/team-members.ts'
import { codesAt } from '../../account/wallet.ts'
import { idOf } from '../../kernel/decider.ts'
import { ACTIVATION_CREDIT_USD } from '../../kernel/fees.ts'
import { carryOutSeatOrder } from '../../use-cases/account/seat-orders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { Policy } from '../subscriber/policy.ts'

/**
 * Opens the store that comes with an account, for accounts whose sign-up broke off before it, and for those from before
 * there were stores.
 */
export const openDefaultStore: Policy = {
  name: 'open-default-store',
  on: {
    CloudTokenIssued: ({ stream, data }, { ledger }) => ledger.stores.openDefault(idOf(stream), data),
  },
}

/** A verified email earns $5 of credit, once per account (I-CRD-01). */
export const grantActivationCredit: Policy = {
  name: 'grant-activation-credit',
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
}

/**
 * Releases the address that an account, or a user, had before, so that anybody can use it again, also the account
 * itself (J-ACC-13).
 */
export const releaseEmail: Policy = {
  name: 'release-email',
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
}

/** When an address becomes another account's, pauses the wallets that its former holders have with it. */
export const pauseLostWallets: Policy = {
  name: 'pause-lost-wallets',
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
}

/** Carries out what a seat was paid for, also when the call that paid broke off right then. */
export const finishSeatOrders: Policy = {
  name: 'finish-seat-orders',
  on: {
    SeatPaid: ({ stream, data }, { ledger }) => carryOutSeatOrder(ledger, idOf(stream), data),
  },
}

/** Notes with a person which accounts they have a seat in, also when the call broke off that gave or took it. */
export const noteSeats: Policy = {
  name: 'note-seats',
  on: {
    MemberSeated: ({ stream, data: { memberId } }, { ledger }) => noteSeat(ledger, idOf(stream), memberId),
    MemberRemoved: ({ stream, data: { memberId } }, { ledger }) => noteSeat(ledger, idOf(stream), memberId),
  },
}

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
export const returnSeatPayments: Policy = {
  name: 'return-seat-payments',
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
}
