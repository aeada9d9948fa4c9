import { UTC } from '../../domain/kernel/calendar.ts'
import type { JournalSelection } from '../../projections/money/journal-tables.ts'
import { inertText } from './names.ts'

/** Says what a file holds, in comments that hledger, ledger-cli and beancount pass over. */
export const headOf = ({ view, by, owner, from, to, clock }: JournalSelection): string =>
  [
    `; Daybook's journal, one transaction an event; the books are those of ${view ? inertText(view) : 'the account holders together'}.`,
    ...(view && by === 'mined'
      ? ['; By the time at which coins were mined: what comes later may belong before it.']
      : []),
    ...(clock && clock.zone !== UTC ? [`; Days and times are those of ${inertText(clock.zone)}.`] : []),
    ...(owner ? [`; Of ${inertText(owner)}: every event on one of its accounts, with all its postings.`] : []),
    ...(from
      ? [
          `; From ${from.toISOString()} on; before that: the opening balances${view ? ', with what was earned before as retained earnings' : ''}.`,
        ]
      : []),
    ...(to ? [`; Up to and with ${to.toISOString()}.`] : []),
    '',
  ].join('\n')
