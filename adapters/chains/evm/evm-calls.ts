/**
 * The two calls of contracts by which a chain is asked, in the form of the contract ABI. They are written out, because
 * a library for all calls is more than everything else that a connected chain loads.
 */

/** `balanceOf(address)` of a token (ERC-20). */
export const balanceCall = (address: string): string => `0x70a08231${word(digitsOf(address, 20))}`

/** `isValidSignature(bytes32,bytes)` of a wallet that is a contract (EIP-1271). */
export const signatureCall = (hash: string, signature: string): string => {
  const bytes = digitsOf(signature)
  const padded = bytes.padEnd(Math.ceil(bytes.length / WORD) * WORD, '0')
  return `0x1626ba7e${digitsOf(hash, 32)}${number(SIGNATURE_AT)}${number(bytes.length / 2)}${padded}`
}

/** Hex digits of a word of 32 bytes. */
const WORD = 64
/** The place of the signature behind the selector, in bytes: after the two words of the arguments. */
const SIGNATURE_AT = 64

const word = (digits: string): string => digits.padStart(WORD, '0')
const number = (value: number): string => word(value.toString(16))

/** The digits of whole bytes in 0x hex; a contract would read anything else as something else. */
const digitsOf = (hex: string, bytes?: number): string => {
  const digits = hex.slice(2).toLowerCase()
  if (!/^0x(?:[0-9a-f]{2})*$/.test(`0x${digits}`) || !hex.startsWith('0x')) throw new Error('not whole bytes in hex')
  if (bytes !== undefined && digits.length !== 2 * bytes) throw new Error(`not ${bytes} bytes`)
  return digits
}
