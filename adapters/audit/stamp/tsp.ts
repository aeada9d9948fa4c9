import {
  BaseBlock,
  Boolean as DerBoolean,
  fromBER,
  GeneralizedTime,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
} from 'asn1js'

/**
 * Time stamps (RFC 3161): the request to an authority, and what its answer must hold to be worth keeping. Who the
 * authority is, and whether its certificates are good, is left to whoever checks the stamp: `openssl ts -verify`.
 */

/** The values that a request and its answer have in common. */
export type StampRequest = {
  /** SHA-256 of what is stamped: 32 bytes. */
  readonly imprint: Buffer
  /** A random number above 0, so that an old answer is not taken for this one. */
  readonly nonce: bigint
}

/** `stampedAt`: ISO 8601 UTC. */
export type StampVerdict = { readonly stampedAt: string } | { readonly fault: string }

export const STAMP_QUERY_TYPE = 'application/timestamp-query'

const SHA256 = '2.16.840.1.101.3.4.2.1'
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'

/** A TimeStampReq in DER. It asks for the certificates as well, without which a stamp is of no use in ten years. */
export const stampRequest = ({ imprint, nonce }: StampRequest): Buffer => {
  const algorithm = new Sequence({ value: [new ObjectIdentifier({ value: SHA256 }), new Null()] })
  const messageImprint = new Sequence({ value: [algorithm, new OctetString({ valueHex: imprint })] })
  const version = new Integer({ value: 1 })
  const certificates = new DerBoolean({ value: true })
  const request = new Sequence({ value: [version, messageImprint, Integer.fromBigInt(nonce), certificates] })
  return Buffer.from(request.toBER())
}

/** Compares a TimeStampResp with its request. Never throws, whatever the bytes are. */
export const stampIn = (response: Buffer, request: StampRequest): StampVerdict => {
  try {
    return verdictOn(response, request)
  } catch {
    return { fault: 'it is no time stamp (RFC 3161)' }
  }
}

const verdictOn = (response: Buffer, { imprint, nonce }: StampRequest): StampVerdict => {
  const [statusInfo, token] = itemsOf(whole(response), Sequence)
  const [status] = itemsOf(statusInfo, Sequence)
  const granted = bigintOf(status)
  // 1 means granted with changes, which the checks below have to notice.
  if (granted !== 0n && granted !== 1n) return { fault: `the authority refused, status ${granted}` }
  const [version, , messageImprint, , time, ...optional] = itemsOf(whole(contentOf(token)), Sequence)
  const [algorithm, hashed] = itemsOf(messageImprint, Sequence)
  const [hashName] = itemsOf(algorithm, Sequence)
  if (bigintOf(version) !== 1n || !(time instanceof GeneralizedTime)) return { fault: 'its form is not known' }
  if (oidOf(hashName) !== SHA256 || !bytesOf(hashed).equals(imprint)) return { fault: 'it is of something else' }
  // Accuracy and ordering may stand before the nonce; they are no integers.
  const echoed = optional.find((each) => each instanceof Integer)
  if (!echoed || bigintOf(echoed) !== nonce) return { fault: 'it is the answer to another request' }
  return { stampedAt: time.toDate().toISOString() }
}

/** The TSTInfo within a token: ContentInfo, SignedData, encapsulated content. */
const contentOf = (token: BaseBlock | undefined): Buffer => {
  const [kind, tagged] = itemsOf(token, Sequence)
  const [signedData] = itemsOf(tagged, BaseBlock)
  const [, , encapsulated] = itemsOf(signedData, Sequence)
  const [contentKind, content] = itemsOf(encapsulated, Sequence)
  const [octets] = itemsOf(content, BaseBlock)
  if (oidOf(kind) !== SIGNED_DATA || oidOf(contentKind) !== TST_INFO) throw new Error('another content')
  return bytesOf(octets)
}

/** Decodes bytes that hold one value and nothing after it. */
const whole = (bytes: Buffer): BaseBlock => {
  const { offset, result } = fromBER(bytes)
  if (offset !== bytes.length) throw new Error('not one value')
  return result
}

type Kind = abstract new (...args: never[]) => BaseBlock

const itemsOf = (block: BaseBlock | undefined, kind: Kind): readonly BaseBlock[] => {
  const value = block instanceof kind ? (block.valueBlock as { value?: unknown }).value : undefined
  if (!Array.isArray(value)) throw new Error('no list')
  return value
}

const bigintOf = (block: BaseBlock | undefined): bigint => {
  if (!(block instanceof Integer)) throw new Error('no number')
  return block.toBigInt()
}

const oidOf = (block: BaseBlock | undefined): string | undefined =>
  block instanceof ObjectIdentifier ? block.getValue() : undefined

/** The bytes of an octet string; one that came in pieces is put together. */
const bytesOf = (block: BaseBlock | undefined): Buffer => {
  if (!(block instanceof OctetString)) throw new Error('no octets')
  return Buffer.from(block.getValue())
}
