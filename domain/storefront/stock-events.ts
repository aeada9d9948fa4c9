/** What can happen to the pieces of a product, and what they can be told. */

/** Why a seller changes the number: goods came, were counted, came back, or are gone; `set` with the product itself. */
export type StockReason = 'received' | 'counted' | 'returned' | 'lost' | 'set'

/** A call with an Idempotency-Key, so that a repetition adds nothing again. */
type StockCall = { id: string; request: string }

export type StockEvents = {
  /** The seller says how many pieces there are, those that are lent included; null: they are not counted any more. */
  StockChanged: {
    accountId: string
    count: number | null
    /** The number before, and how many pieces were lent. */
    before: number | null
    lent: number
    reason: StockReason
    by: string
    changedAt: string
    call?: StockCall
  }
  /** Pieces are lent to a sale that may still be paid. The same sale again is lent the same pieces for longer. */
  PiecesLent: {
    accountId: string
    holder: string
    quantity: number
    lentAt: string
    until: string
    /** Until when they had been lent, where this renews a loan. */
    before?: string
    /** A keyed hash of the network that the caller came from. Absent: the caller was known. */
    network?: string
  }
  /** A payment of the sale was seen or signed: its pieces stay until that has come to an end. */
  PiecesKept: {
    accountId: string
    holder: string
    quantity: number
    keptAt: string
    until: string
    /** The loan that they come from, where that has another name. */
    from?: string
    /** The payment that its seller takes for the sale, although there was no piece for it before. */
    payment?: string
  }
  /** A payment came and there was no piece for it. It stays so, whatever comes back: its money is told as unmatched. */
  PiecesRefused: { accountId: string; holder: string; quantity: number; payment: string; refusedAt: string }
  /** That payment came to nothing: its pieces are lent as they were before, as long as that lasts. */
  PiecesReleased: { accountId: string; holder: string; releasedAt: string; to?: string }
  /** The sale takes no payment any more. */
  PiecesReturned: { accountId: string; holder: string }
  /** The sale was settled. `position`: the place in the ledger's order of the event that says so. */
  PiecesSold: { accountId: string; holder: string; quantity: number; count: number; position: string }
  /**
   * Pieces that were sold are there again: their payment is not in its chain any more, and then they are kept for the
   * same sale (`holder`), or their seller has given the money back and has the goods.
   */
  PiecesRestored: {
    accountId: string
    quantity: number
    count: number
    restoredAt: string
    position: string
    holder?: string
    until?: string
  }
}

export type StockCommands = {
  /** Sets the number, or changes it by `delta`. Refuses `state-forbids` below what is lent. */
  change: {
    accountId: string
    by: string
    reason: StockReason
    count?: number | null
    delta?: number
    call?: StockCall
  }
  /**
   * Refuses `out-of-stock`, and `rate-limited` where callers of one network hold as many pieces as they may. Does
   * nothing for what is not counted.
   */
  lend: { holder: string; quantity: number; until: string; network?: string }
  /**
   * Keeps what is lent to the holder, or to `from`, or else free pieces. Refuses `out-of-stock`. `payment`: one that
   * was refused before, and that its seller takes now.
   */
  keep: PieceWish & { payment?: string }
  /** The same for a payment that has come, which cannot be refused: that there is no piece for it is an event. */
  claim: PieceWish & { payment: string }
  release: { holder: string; to?: string }
  /** Does nothing for pieces that are kept. `until`: only that very loan, not one that was renewed since. */
  giveBack: { holder: string; until?: string }
  sell: { holder: string; position: string }
  /** `holder`: the sale that was not paid after all, which keeps them for a while. */
  restore: { quantity: number; position: string; holder?: string }
}

export type PieceWish = { holder: string; quantity: number; from?: string }
