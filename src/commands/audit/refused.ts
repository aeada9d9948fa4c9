import { refusingWitnesses } from '../../../adapters/audit/witness/refusing.ts'
import type { Books } from '../../books/books.ts'
import { operatorLedger } from '../../books/operator-ledger.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { HeadSettings } from '../../settings/head-settings.ts'

/**
 * Throws CommandFailure while a witness of the settings has seen another history of this log: no seal may go on from
 * this one.
 */
export const mustNotBeRefused = async (books: Books, { witnesses }: HeadSettings): Promise<void> => {
  const refusing = await refusingWitnesses(operatorLedger(await books.store()), witnesses)
  const [first] = refusing
  if (!first) return
  const seen = first.seen === null ? 'another head' : `a head of ${first.seen} events`
  throw new CommandFailure(
    [
      `nothing is sealed: the witness ${first.name} has seen ${seen} that this log of ${first.size} events does not go on from.`,
      'Put the log back that it has seen; a witness that is wrong has to be taken out of WITNESSES',
    ].join(' '),
  )
}
