import type { Candidate } from '../../../../../domain/selling/transfers/candidates.ts'
import type { UnmatchedRow } from '../../../../../projections/selling/unmatched-queries.ts'
import type { PageMember } from '../frame.ts'

/** What the page of one payment that settles nothing is made of. */

/** What a member does with it; `match` chooses a candidate, `match-payment` names a payment. */
export type HandAct = 'match' | 'match-payment' | 'return' | 'ignore' | 'reopen'

export type UnmatchedPage = {
  readonly member: PageMember
  readonly row: UnmatchedRow
  readonly candidates: readonly Candidate[]
  readonly done?: 'return' | 'ignore' | 'reopen' | undefined
  readonly failed?: { readonly act: HandAct; readonly error: string }
  readonly typed?: Readonly<Record<string, string | undefined>>
}
