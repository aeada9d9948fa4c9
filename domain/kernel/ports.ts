/** What the domain asks of the outside. Adapters provide these; nothing here knows how. */

import type { ChainVoices } from './chain-voices.ts'
import type { Cause, RecordedEvent } from './recorded-event.ts'

export type { Cause, RecordedEvent } from './recorded-event.ts'

/** The only source of time, chance and ids, so that a test can fix all three. */
export type World = {
  now(): Date
  /** A fresh id that nobody can guess: `prefix_` and 26 base32 characters (130 bits). */
  id(prefix: string): string
  /** The same id for the same parts, for ever; a repeated request so meets the stream it made before. */
  idFrom(prefix: string, ...parts: readonly string[]): string
  /** A UUID made from its parts: the id under which the store recognises a repeated append. */
  uuidFrom(...parts: readonly string[]): string
  /** A whole number of 52 bits made from its parts, for ids that people type. */
  numberFrom(...parts: readonly string[]): number
  /** Fresh random bytes as lower-case hex, two characters a byte. */
  secret(bytes: number): string
  /** SHA-256 as hex: what is stored of a key or token that only needs checking. */
  digest(secret: string): string
  /** HMAC-SHA256 as hex; the key is given as hex too. */
  mac(key: string, message: string): string
  pause(ms: number): Promise<void>
}

/** An event on its way to the store. `id` is a UUID derived from the command, so a repeated append is recognised. */
export type NewEvent = {
  readonly id: string
  readonly type: string
  readonly data: object
  readonly meta: EventMeta
}

export type EventMeta = {
  readonly v: number
  readonly at: string
  readonly cause: Cause
  /** Set only for an event that was copied from another store: its place in the ledger's own order, as decimal text. */
  readonly order?: string
}

export type AppendPlace = { readonly revision: bigint; readonly position: bigint }

/**
 * One ordered log of streams. Positions and revisions that mean "before the first" are -1n. The store's own events do
 * not show; those of other programs show as FOREIGN, those that were set aside as SET_ASIDE.
 */
export type EventStore = {
  /** Pages of one stream from a revision on, oldest first; an unknown one has none. Rejects with StreamCut at a gap. */
  read(stream: string, from?: bigint): AsyncIterable<readonly RecordedEvent[]>
  /**
   * Appends all or nothing, and answers only once that is durable; the same ids at the same revision get the first
   * answer. Rejects with WrongRevision when the stream is not at `expected`, with StreamCut, and with OutcomeUnknown.
   */
  append(stream: string, expected: bigint, events: readonly NewEvent[]): Promise<AppendPlace>
  /** Pages of the whole log after a position, up to its present end. */
  readAll(after: bigint): AsyncIterable<readonly RecordedEvent[]>
  /**
   * The whole log after a position, then what comes, until the signal aborts. It heals a lost connection by itself.
   * Events of the types in `leftOut` need not be among them.
   */
  subscribe(after: bigint, signal: AbortSignal, leftOut?: ReadonlySet<string>): AsyncIterable<readonly RecordedEvent[]>
  /** Position of the newest event, -1n in an empty log. */
  head(): Promise<bigint>
  close(): Promise<void>
}

export class WrongRevision extends Error {
  override readonly name = 'WrongRevision'
}

/** The append may or may not have happened. The command is safe to send again: its event ids are the same. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}

/** Folded states kept aside so that a long stream need not be read from its start. They can be dropped at any time. */
export type Snapshots = {
  load(stream: string, stateVersion: number): Promise<{ revision: bigint; state: unknown } | undefined>
  save(stream: string, stateVersion: number, revision: bigint, state: unknown): Promise<void>
}

/**
 * Text under its subject's data key; it reads as `(erased)` once that key is gone. The form is
 * `v1.<subject>.<iv>.<box>`.
 */
export type SealedText = string

export type Vault = {
  seal(subject: string, text: string): Promise<SealedText>
  /** Undefined when the subject was erased, or its key was lost. */
  open(sealed: SealedText): Promise<string | undefined>
  /** Whether the key of a sealed text was lost, and not destroyed on purpose. */
  isLost(sealed: SealedText): Promise<boolean>
  /**
   * Destroys the subject's key: every value sealed under it is unreadable from now on, in the log and in every copy of
   * it.
   */
  erase(subject: string): Promise<void>
  /** A keyed hash, so that uniqueness can be checked without the value. */
  fingerprint(purpose: string, value: string): string
}

export type Passwords = {
  /** argon2id, PHC string. Rejects with Refusal `busy` when too many are waiting. */
  hash(password: string): Promise<string>
  /** Checks a password; without a hash it takes as long and is false, so that timing tells nobody who has one. */
  verify(hash: string | undefined, password: string): Promise<boolean>
  /** Whether a hash was made in an older way than `hash` makes them now. */
  outdated(hash: string): boolean
}

/**
 * A movement of coins that a chain reports. `index` tells the movements of one transaction apart, for ever the same, in
 * whichever block a reorganisation puts the transaction: on EVM `native` for the coin itself; else `erc20:`, the first
 * 32 hex digits of SHA-256 of `contract:payer:payee` as their log has them in lower case, and the place (from 0) among
 * the receipt's transfers with these three; on Solana `sol:` or `spl:` and the place of the account in the transaction.
 */
export type Transfer = {
  readonly network: string
  readonly tx: string
  readonly index: string
  /**
   * What `index` was in former releases, where that is something else: on EVM the place of a token's log in its block,
   * which a reorganisation changes (`knownTransfer`).
   */
  readonly formerIndex?: string
  /**
   * The code of a catalogued coin, else the token's contract in canonical form: two tokens of one name are not the same
   * (`coinOf`).
   */
  readonly asset: string
  readonly from: string
  readonly to: string
  /** The amount in the asset's smallest unit. */
  readonly amount: bigint
  readonly height: number
  readonly blockHash: string
  /** The block's own time, ISO 8601 UTC. */
  readonly minedAt: string
  /** The nonce of the payer's authorization that it carried out (EIP-3009), where it was one. */
  readonly authorization?: string
}

export type ChainHead = {
  readonly height: number
  readonly hash: string
  /** The block's own time, ISO 8601 UTC, where the chain says it. */
  readonly minedAt?: string
}

/** Hashes that tie what one call reads to what others have read: of the block before the first, and of the last. */
export type ChainEnds = { readonly before?: string | undefined; readonly last?: string | undefined }

export type Chain = {
  readonly network: string
  /** CAIP-2, e.g. `eip155:1`. */
  readonly caip2: string
  head(): Promise<ChainHead>
  /** The hash of the block at a height; undefined when the chain is not that long. */
  hashAt(height: number): Promise<string | undefined>
  /**
   * Every transfer of a catalogued coin or of any token inside a mined, successful transaction; undefined when the
   * chain does not know it.
   */
  transfersOf(tx: string): Promise<readonly Transfer[] | undefined>
  /**
   * Asks each provider by itself for a transfer with so many confirmations, within a time limit; never rejects. Absent
   * where there is one provider, which then decides alone.
   */
  voicesOf?(transfer: Transfer, confirmations: number): Promise<ChainVoices>
  /**
   * The form in which `transfersIn` looks for an address, where that is not the canonical one: what the chain's own
   * data holds.
   */
  keyOf?(address: string): string
  /**
   * Every transfer of a catalogued coin, or of one of the further contracts, to one of the addresses, in blocks
   * from..to, both included, in chain order. Addresses are in the form of `keyOf`, contracts and what is answered in
   * canonical form. Rejects when the blocks are not those between the `ends`.
   */
  transfersIn(
    from: number,
    to: number,
    addresses: ReadonlySet<string>,
    contracts?: ReadonlySet<string>,
    ends?: ChainEnds,
  ): Promise<readonly Transfer[]>
  /**
   * What an address holds of a coin as of the newest block, in its smallest unit; the coin goes by what
   * `Transfer.asset` calls it (N-63). 0 for an account that is not there yet, undefined where this chain has no such
   * coin or cannot tell in time. What cannot be read is an error, never 0.
   */
  balanceOf(address: string, coin: string): Promise<bigint | undefined>
  /**
   * Whether a contract calls a signature of a hash its own (EIP-1271), both in hex, where the chain has such contracts.
   */
  isSignedByContract?(address: string, hash: string, signature: string): Promise<boolean>
  /**
   * The Ed25519 key in hex that a wallet says is its own, where wallets are contracts; undefined for an account that
   * says none.
   */
  publicKeyOf?(address: string): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * What one whole unit costs in US dollars, as a decimal string: of a coin by its code (`eth`), of a currency by ISO
 * 4217 (`EUR`). Answered from memory. Refuses `invalid-request` for a code that nobody prices, `unavailable` while
 * there is no price that can be relied on (N-23).
 */
export type Rates = {
  usdPer(code: string): Promise<string>
  /** Who says so right now, in a few words; undefined where nobody has to. Absent where nobody is known to. */
  sourceOf?(code: string): string | undefined
}

/** Prices of custom tokens, read from where their sellers say (J-TOK-03): an https URL, or `<feed>:<id>`. */
export type TokenPrices = {
  /** Why a source may not be asked; undefined when it may. */
  refusal(source: string): string | undefined
  /**
   * US dollars for one whole token as a decimal string; undefined when no price younger than ten minutes is to be had.
   * Never rejects.
   */
  usdFrom(source: string): Promise<string | undefined>
}

export type PostResult = {
  /** Undefined when no answer came; `reason` then says why. */
  readonly status: number | undefined
  readonly reason: string | undefined
  /** The first 1,000 characters of the answer, or as many as were asked for, safe to store. */
  readonly bodyHead: string
  readonly durationMs: number
}

export type GetResult = Pick<PostResult, 'status' | 'reason'> & {
  /** The first 65,536 characters of the answer, or as many as were asked for. */
  readonly body: string
  /** Seconds for which the answer may be kept, where it says so. */
  readonly maxAgeS?: number
}

type Headers = Readonly<Record<string, string>>

export type Outbound = {
  /** Why a URL may not be called (not https, not a public host, …); undefined when it may. */
  refusal(url: string): string | undefined
  /**
   * One POST of a signed body, JSON unless the headers say otherwise: 5 s to connect, 7 s in all, no redirect followed.
   * Never rejects.
   */
  post(url: string, body: string, headers: Headers, charactersMax?: number): Promise<PostResult>
  /** One GET under the same rules and limits, or within less time in all. Never rejects. */
  get(url: string, charactersMax?: number, totalMs?: number): Promise<GetResult>
  /** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` (X-SIGN-01). */
  sign(secret: string, at: Date, body: string): string
  /**
   * What the receiver that Daybook has for test sales answers to a webhook: it checks the signature by the secret, as a
   * seller's own would, and says what it was sent. Nothing is called.
   */
  receive(secret: string | undefined, at: Date, body: string, headers: Headers): PostResult
}
