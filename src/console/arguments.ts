import { readFileSync, statSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { isPublicKey } from '../../adapters/crypto/ed25519.ts'
import { claimedPlace } from '../../domain/account/address-claim.ts'
import { FIAT_DECIMALS, toUnits } from '../../domain/kernel/money.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import { VIEW, type View } from '../../domain/reading/books/entry.ts'
import { SERVICE_PARTS, type ServicePart } from '../settings/service-role.ts'

/** What people type, checked before anything is opened. Each throws with words for the person who typed it. */

/** The books end at a place in the log, or at a time. */
export type AsOf = { readonly position: bigint } | { readonly time: Date }

const POSITION_MAX = 2n ** 63n - 1n
const LIMIT_MAX = 1_000_000
const REASON_MAX = 500

export const positionArgument = (text: string): bigint => {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > POSITION_MAX)
    throw new InvalidArgumentError('It is not a position of the log: a whole number such as 1234.')
  return BigInt(text)
}

/** A user of EventStoreDB that Daybook may have for itself. */
export const loginArgument = (text: string): string => {
  if (!/^[a-z][a-z0-9._-]{0,63}$/i.test(text) || /^(admin|ops)$/i.test(text))
    throw new InvalidArgumentError(
      'It is not a name of letters, digits, dots and dashes, or is one of the server itself.',
    )
  return text
}

export const limitArgument = (text: string): number => {
  if (!/^\d{1,7}$/.test(text) || Number(text) < 1 || Number(text) > LIMIT_MAX)
    throw new InvalidArgumentError(`It is not a number from 1 to ${LIMIT_MAX}.`)
  return Number(text)
}

const COUNT_MAX = 1_000_000_000

/** A whole number of events, or of seconds, from 0 on. */
export const countArgument = (text: string): number => {
  if (!/^\d{1,10}$/.test(text) || Number(text) > COUNT_MAX)
    throw new InvalidArgumentError(`It is not a whole number from 0 to ${COUNT_MAX}.`)
  return Number(text)
}

/** Processes of one machine; more of them than it has processors only cost memory. */
const WORKERS_MAX = 64

export const workersArgument = (text: string): number => {
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > WORKERS_MAX)
    throw new InvalidArgumentError(`It is not a number of processes from 1 to ${WORKERS_MAX}.`)
  return Number(text)
}

/** Seconds; a balancer that asks less often than once a minute is of no use. */
const NOTICE_MAX_S = 60

export const noticeArgument = (text: string): number => {
  if (!/^\d{1,2}$/.test(text) || Number(text) > NOTICE_MAX_S)
    throw new InvalidArgumentError(`It is not a number of seconds from 0 to ${NOTICE_MAX_S}.`)
  return Number(text)
}

/** Parts of the service, separated by commas. */
export const partsArgument = (text: string): readonly ServicePart[] => {
  const names = text.split(',').map((name) => name.trim())
  const parts = SERVICE_PARTS.filter((part) => names.includes(part))
  const unknown = names.find((name) => !SERVICE_PARTS.some((part) => part === name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `${unknown || 'An empty name'} is no part. The parts are ${SERVICE_PARTS.join(' and ')}.`,
    )
  return parts
}

/** A position, or an ISO 8601 time; without a zone UTC is meant, and a day alone is its first instant. */
export const asOfArgument = (text: string): AsOf => {
  if (/^\d+$/.test(text)) return { position: positionArgument(text) }
  const [, day, clock = 'T00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  const time = new Date(`${day}${clock}${zone}`)
  // The second look is for days such as February 31, which would be taken for March 3.
  if (Number.isNaN(time.getTime()) || !new Date(`${day}T00:00Z`).toISOString().startsWith(String(day)))
    throw new InvalidArgumentError(
      'It is neither a position of the log (1234) nor an ISO 8601 time (2026-11-20, 2026-11-20T14:30Z).',
    )
  return { time }
}

/** A time as `asOfArgument` takes it, and no position. */
export const timeArgument = (text: string): Date => {
  const end = asOfArgument(text)
  if ('position' in end) throw new InvalidArgumentError('It is not an ISO 8601 time (2026-11-20, 2026-11-20T14:30Z).')
  return end.time
}

export const accountArgument = (text: string): string => {
  if (!/^acc_[a-z0-9]{1,64}$/.test(text)) throw new InvalidArgumentError('It is not an account id (acc_…).')
  return text
}

/** Whose sales: a seller's account, also as its books are named, or the platform. */
export const sellerArgument = (text: string): string =>
  text === PLATFORM ? text : accountArgument(text.replace(/^seller:/, ''))

/** Who can hold a receive address: a seller's account, or the platform. */
export const claimantArgument = (text: string): string => (text === PLATFORM ? text : accountArgument(text))

/** A network and an address there, as `daybook wallets claims` lists them. */
export const placeArgument = (text: string): { network: string; address: string } => {
  const place = claimedPlace(text)
  if (!text.includes(':') || !networkOf(place.network) || place.address === '')
    throw new InvalidArgumentError('It is not <network>:<address>, such as eth:0x….')
  return place
}

/** A payment, as `daybook payments odd` lists it: network, transaction and place. */
export const transferArgument = (text: string): string => {
  if (!/^[a-z0-9]{1,20}:[\w=+/-]{1,120}:[\w-]{1,40}$/.test(text))
    throw new InvalidArgumentError('It is not a payment such as eth:0x…:native.')
  return text
}

/** One coin of what somebody was asked to pay. */
export const challengeArgument = (text: string): string => {
  if (!/^ch_[a-z2-7]{26}\.[a-z0-9_]{1,40}$/.test(text))
    throw new InvalidArgumentError('It is not a challenge such as ch_….eth.')
  return text
}

/** The reason for an action, for whoever reads the log later. */
export const reasonArgument = (text: string): string => {
  if (text.trim() === '' || text.length > REASON_MAX)
    throw new InvalidArgumentError(`It is not a reason of 1 to ${REASON_MAX} characters.`)
  return text.trim()
}

/** An account of the journal, as `daybook books` lists them. */
export const journalAccountArgument = (text: string): string => {
  if (!/^[a-z-]{1,32}(:[a-z0-9_-]{1,80}){0,2}$/.test(text))
    throw new InvalidArgumentError('It is not an account of the journal (seller:acc_…:credit, platform:fees, buyers).')
  return text
}

/** The code of an asset, as the journal writes it. */
export const assetArgument = (text: string): string => {
  if (!/^[\w:.-]{1,128}$/.test(text))
    throw new InvalidArgumentError('It is not an asset such as USD, eth or usdc_base.')
  return text
}

export const appArgument = (text: string): string => {
  if (!/^app_[a-z0-9]{1,64}$/.test(text)) throw new InvalidArgumentError('It is not the id of an app (app_…).')
  return text
}

export const userArgument = (text: string): string => {
  if (!/^usr_[a-z0-9]{1,64}$/.test(text)) throw new InvalidArgumentError('It is not the sub of a user (usr_…).')
  return text
}

/** A member of a seller's account. */
export const memberArgument = (text: string): string => {
  if (!/^mem_[a-z0-9]{1,64}$/.test(text)) throw new InvalidArgumentError('It is not the id of a member (mem_…).')
  return text
}

/** Characters of what is looked for: an id, an address, or two letters of a name at least. */
const SEARCH_MIN = 2
const SEARCH_MAX = 254

export const searchArgument = (text: string): string => {
  const wanted = text.trim()
  if (wanted.length < SEARCH_MIN || wanted.length > SEARCH_MAX)
    throw new InvalidArgumentError(
      `It is not an id, an address or a name of ${SEARCH_MIN} to ${SEARCH_MAX} characters.`,
    )
  return wanted
}

/** A transaction as its merchant knows it. */
export const numberArgument = (text: string): string => {
  if (!/^\d{1,20}$/.test(text)) throw new InvalidArgumentError('It is not the number of a transaction.')
  return text
}

/** The event id of a webhook, a receipt or a logout notification. */
export const eventIdArgument = (text: string): string => {
  if (!/^[0-9a-f]{32}$/.test(text)) throw new InvalidArgumentError('It is not an event id of 32 hex digits.')
  return text
}

/** The name of a grant, so that giving it again gives nothing. */
export const grantArgument = (text: string): string => {
  if (!/^[\w.-]{1,64}$/.test(text))
    throw new InvalidArgumentError('It is not an id of 1 to 64 letters, digits, dots, dashes and underscores.')
  return text
}

/** Dollars in millionths. */
export const usdArgument = (text: string): bigint => {
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text) || /^[0.]+$/.test(text))
    throw new InvalidArgumentError('It is not an amount above 0 with at most six places, such as 12.50.')
  return toUnits(text, FIAT_DECIMALS)
}

/** An amount of whole coins; how many places it may have depends on the coin. */
export const amountArgument = (text: string): string => {
  if (!/^\d{1,12}(\.\d{1,18})?$/.test(text) || /^[0.]+$/.test(text))
    throw new InvalidArgumentError('It is not an amount above 0, such as 0.04.')
  return text
}

/** Who has accounts of their own in the journal: a seller, a user or an app. */
export const holderArgument = (text: string): string => {
  if (!/^(acc|usr|app)_[a-z0-9]{1,64}$/.test(text))
    throw new InvalidArgumentError('It is not an id of an account (acc_…), a user (usr_…) or an app (app_…).')
  return text
}

/** Whose books: the platform's, or those of a seller, a user or an app. */
export const viewArgument = (text: string): View => {
  if (!VIEW.test(text))
    throw new InvalidArgumentError('It is none of platform, seller:acc_…, user:usr_… and app:app_….')
  return text as View
}

/** A seller's account, a user, or a member who owns no account. */
export const subjectArgument = (text: string): string => {
  if (!/^(acc|usr|mem)_[a-z0-9]{1,64}$/.test(text))
    throw new InvalidArgumentError('It is not an id of an account (acc_…), a user (usr_…) or a member (mem_…).')
  return text
}

/** A file that has to be there. */
export const fileArgument = (text: string): string => {
  if (!statSync(text, { throwIfNoEntry: false })?.isFile()) throw new InvalidArgumentError('There is no such file.')
  return text
}

/** A public key in base64, or a file with one on each line; added to those that were given before. */
export const publicKeysArgument = (text: string, before: readonly string[]): readonly string[] => {
  const isFile = statSync(text, { throwIfNoEntry: false })?.isFile()
  const keys = isFile ? readFileSync(text, 'utf8').split(/\s+/).filter(Boolean) : [text]
  if (keys.length === 0 || !keys.every(isPublicKey))
    throw new InvalidArgumentError('It is neither a public key (44 characters of base64) nor a file with some.')
  return [...before, ...keys]
}
