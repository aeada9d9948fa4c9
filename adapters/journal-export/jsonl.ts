import type { JournalFormat, Tags } from './format.ts'
import { knownDecimals, shortDecimal } from './names.ts'

/** One entry a line, with its postings; amounts are text, so that no digit is lost. */
export const jsonlFormat: JournalFormat = {
  entry: ({ at, type, event, tags, isInert }) => {
    const text = textOf(isInert)
    const [position, id, stream] = event ? [event.position, event.id, event.stream].map(text) : NOWHERE
    const told = `"position":${position},"time":${text(at)},"type":${text(type)},"id":${id},"stream":${stream}`
    return `{${told}${membersOf(tags, text)},"postings":[`
  },
  posting: ({ account, asset, units, tags, isInert }) => {
    const text = textOf(isInert)
    const amount = shortDecimal(units, knownDecimals(asset))
    return `{"account":${text(account)},"asset":${text(asset)},"amount":"${amount}","units":"${units}"${membersOf(tags, text)}}`
  },
  join: ',',
  end: ']}\n',
}

const NOWHERE = ['null', 'null', 'null'] as const

type Quote = (text: string) => string

/** Text that is inert has nothing that JSON would escape. */
const textOf = (isInert: boolean | undefined): Quote => (isInert ? quoted : JSON.stringify)

const quoted: Quote = (text) => `"${text}"`

const membersOf = (tags: Tags | undefined, text: Quote): string => {
  let members = ''
  for (const [name, value] of tags ?? []) members += `,"${name}":${text(value)}`
  return members
}
