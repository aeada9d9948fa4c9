/** What a duel and a tournament share: units in escrow that go out again, all of them, by the event that ends it. */

/** Units that leave an escrow. The account itself follows from the stream. */
export type EscrowPayout = {
  readonly member: string
  readonly units: number
  /** The id of the stake that comes back as it was. */
  readonly returned?: string
}

export type StakeRef = { readonly stakeId: string; readonly units: number }

/**
 * A stake that came back because it could not be used. `position` is that of the event that staked it, in the ledger's
 * own order.
 */
export type StakeReturned = { payouts: readonly [EscrowPayout]; position: string }

/** A stake that came too late goes back once: stakes are carried in the order of the log, each with its place there. */
export const goesBack = (
  returnedUpTo: bigint,
  { member, stake, position }: { member: string; stake: StakeRef; position: string },
): StakeReturned | undefined =>
  BigInt(position) <= returnedUpTo
    ? undefined
    : { payouts: [{ member, units: stake.units, returned: stake.stakeId }], position }

/** The payout that gives a whole stake back to whoever made it; none without a stake. */
export const refund = (member: string, stake: StakeRef | null): readonly EscrowPayout[] =>
  stake ? [{ member, units: stake.units, returned: stake.stakeId }] : []
