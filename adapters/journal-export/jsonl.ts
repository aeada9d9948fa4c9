import { toDecimal } from '../../domain/kernel/money.ts'
import { decimalsOf } from '../../domain/reading/journal.ts'
import type { JournalFormat } from './format.ts'

/** One entry a line, with its postings; amounts are text, so that no digit is lost. */
export const jsonlFormat: JournalFormat = {
  entry: ({ at, type, event, tags }) => {
    const { position = null, id = null, stream = null } = event ?? {}
    const told = { position, time: at, type, id, stream, ...(tags && Object.fromEntries(tags)) }
    return `${JSON.stringify(told).slice(0, -1)},"postings":[`
  },
  posting: ({ account, asset, units, tags }) => {
    const amount = toDecimal(BigInt(units), decimalsOf(asset))
    return JSON.stringify({ account, asset, amount, units, ...(tags && Object.fromEntries(tags)) })
  },
  join: ',',
  end: ']}\n',
}
