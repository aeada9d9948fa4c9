/**
 * What an attacker calls: any operation there is, most often one that takes the name of money, with what a stranger may
 * know.
 */
import fc from 'fast-check'
import { allOperations, labelOf, type Operation, parametersOf } from '../tenants/declared.ts'
import { type Wild, wildCalls } from '../tenants/wild.ts'

export type Move = Wild & {
  /** It carries the attacker's one signature, where it can carry any. */
  readonly signed: boolean
  /** The network that it comes from. */
  readonly network: number
}

/** Stand-ins for what is known only once a round is played, such as the hash of a payment that has just been made. */
const KNOWN = [
  '@hash0',
  '@hash1',
  '@hash2',
  '@transfer0',
  '@transfer1',
  '@own0',
  '@own1',
  '@own2',
  '@address0',
  '@address1',
] as const
export type Known = (typeof KNOWN)[number]
const known = (what: string): readonly Known[] => KNOWN.filter((name) => name.startsWith(what))

/** What has a name of money among its parameters. A new endpoint that takes one is a weapon without a word here. */
const MONEY = /^(hash|challenge|challengeId|challenge_id|transfer|address|payment\w*)$/
/** What answers at once; a stream of events goes on until its reader leaves. */
const weapons = allOperations.filter(({ produces }) => produces !== 'text/event-stream')
const ofMoney = weapons.filter((e) => parametersOf(e).some(({ name }) => MONEY.test(name)))

/** A door, which takes a signed payment in a header. */
export const isDoor = ({ path, when }: Operation): boolean =>
  (path === '/r/:id' || path === '/checkout/:id') && when === undefined

/** What takes a signed payment, in a header or in its body. */
export const takesPayment = (e: Operation): boolean => isDoor(e) || 'paymentPayload' in (e.sends.properties ?? {})

/** Moves by so many callers. `things` are the ids of what is for sale. */
export const moves = (callers: number, things: readonly string[]): fc.Arbitrary<Move> => {
  const ids = {
    hash: known('@hash'),
    transfer: known('@transfer'),
    challenge: known('@own'),
    challengeId: known('@own'),
    challenge_id: known('@own'),
    id: things,
    res_id: things,
    address: known('@address'),
    asset: ['eth', 'usdc_base'],
    store_id: ['1', '2'],
  }
  const pool = { ids, any: [...KNOWN, ...things], urls: ['http://127.0.0.1:1/'] }
  const call = fc.oneof(
    { weight: 4, arbitrary: wildCalls(pool, callers, ofMoney) },
    { weight: 2, arbitrary: wildCalls(pool, callers, weapons.filter(takesPayment)) },
    { weight: 1, arbitrary: wildCalls(pool, callers, weapons) },
  )
  return fc.record({ call, signed: fc.boolean(), network: fc.nat(3) }).map(({ call: each, signed, network }) => ({
    ...each,
    signed,
    network,
    [fc.toStringMethod]: () => `${labelOf(each.e)} ${JSON.stringify([each.query, each.body])} by ${each.caller}`,
  }))
}

/** What a move says, once it is known what its stand-ins stand for. */
export const knowing = <T>(value: T, stands: ReadonlyMap<string, string>): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/@(?:hash|transfer|own|address)\d/g, (name) => stands.get(name) ?? 'none'),
  ) as T
