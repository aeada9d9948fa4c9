/** The parts of toncenter's answers that are read, by the names that its OpenAPI document gives them. */

/** A block of the masterchain or of a shard. Hashes are base64, whole numbers beyond 53 bits are text. */
export type TonRawBlock = {
  readonly workchain: number
  readonly seqno: number
  readonly root_hash: string
  readonly gen_utime: string
  readonly tx_count: number
}

type RawMessage = {
  /** `0:HEX`; null for a message from outside of the chain. */
  readonly source: string | null
  readonly value: string | null
  /** The first 32 bits of the body, such as `0x178d4519`; null when it has none. */
  readonly opcode: string | null
  readonly bounced: boolean | null
  readonly message_content: { readonly body: string | null } | null
}

export type TonRawTransaction = {
  /** `0:HEX` */
  readonly account: string
  readonly hash: string
  readonly lt: string
  /** Unix seconds of its block. */
  readonly now: number
  /** The masterchain block that made it final. */
  readonly mc_block_seqno: number
  readonly description: {
    readonly aborted?: boolean
    /** Set only for a message that was sent back, or that should have been. */
    readonly bounce?: { readonly type: string }
  }
  readonly in_msg: RawMessage | null
  /** Set for a transaction that was only computed in advance. */
  readonly emulated?: boolean
  readonly finality?: string
}

export type RawTrace = {
  readonly trace_info: { readonly trace_state: string }
  readonly is_incomplete: boolean
  readonly transactions?: Readonly<Record<string, TonRawTransaction>>
}

export type RawJettonWallet = { readonly address: string; readonly owner: string; readonly jetton: string }

export type RawGetMethodResult = {
  readonly exit_code: number
  readonly stack: readonly { readonly type: string; readonly value: unknown }[]
}

/** Hashes as the ledger writes them: 64 hex digits in lower case. */
export const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex')

export const timeOf = (seconds: number | string): string => new Date(Number(seconds) * 1000).toISOString()
